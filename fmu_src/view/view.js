// The view: a glTF file in motion. Everything that moves is an animation of the file; the numbers beside it (tension, vectors,
// variables) come as JSON. Written for three.js r140 as trimesh ships it.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);

/** Bytes of a base64 text; as numbers: 32-bit floats. */
function bytes(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}
const floats = (text) => new Float32Array(bytes(text));

/** Rows of `width` numbers over time, read between frames. */
class Track {
  constructor(text, width) { this.values = floats(text); this.width = width; }
  at(frame, share, out = []) {
    const n = this.values.length / this.width, next = Math.min(frame + 1, n - 1);
    for (let i = 0; i < this.width; i++)
      out[i] = (1 - share) * this.values[frame * this.width + i] + share * this.values[next * this.width + i];
    return out;
  }
}

// ---- what is there

const FAR = 4;  // what moves further than so many times its size is followed by the camera

const renderer = new THREE.WebGLRenderer({ antialias: true, logarithmicDepthBuffer: true, preserveDrawingBuffer: true });
renderer.outputEncoding = THREE.sRGBEncoding;
at("stage").appendChild(renderer.domElement);
const stage = new THREE.Scene(), camera = new THREE.PerspectiveCamera(40, 1, 1e-3, 1e9);
stage.background = new THREE.Color(0x0b1420);
stage.add(new THREE.HemisphereLight(0xffffff, 0x33445a, 0.75));
const lamp = new THREE.DirectionalLight(0xffffff, 0.9);
stage.add(lamp);
const controls = new THREE.TrackballControls(camera, renderer.domElement);
controls.rotateSpeed = 2.5; controls.zoomSpeed = 1.2; controls.dynamicDampingFactor = 0.2;
const world = new THREE.Group();  // turns from the frame's axes to inertial ones, if asked to
stage.add(world);

let run, mixer, morphs = [], bodies = {}, labels = [], axes = [], arrows = {}, trails = [], lineMaterials = [], planet, orbit;
let due = true, pictures = 0;  // something has changed since the last picture; how many were drawn
let time = 0, playing = false, last = null, follow = null, stood = new THREE.Vector3();

new THREE.GLTFLoader().parse(bytes(data.glb), "", (gltf) => {
  world.add(gltf.scene);
  const root = gltf.scene.children[0];
  gltf.scene.traverse((node) => {
    const name = (node.userData && node.userData.name) || node.name;
    if (node.isMesh) node.frustumCulled = false;  // bent further than the boxes around the shapes know
    if (name.startsWith("body ")) bodies[name.slice(5)] = node;
  });
  data.clips.forEach((clip, i) => { clip.animation = gltf.animations[i]; prepare(clip); });
  decorate(root, gltf.scene);
  fill();
  choose(0);
  frameAll();
  const far = new THREE.Box3().setFromPoints(data.reach.map((point) => new THREE.Vector3(...point)));
  if (far.getSize(new THREE.Vector3()).length() >= FAR * data.size) {
    at("camera").selectedIndex = 1;
    follow = bodies[at("camera").value.slice(5)]; follow.getWorldPosition(stood);
    const far = Math.max(1, 1.4 * data.spread / data.size), away = camera.position.clone().sub(controls.target);
    if (far > 1.5) controls.target.copy(stood);  // what swings or unreels is seen to its end, from the first body
    camera.position.copy(controls.target).addScaledVector(away, far);
  }
  window.view.ready = true;
  requestAnimationFrame(step);
}, (error) => { at("notes").textContent = "the scene can't be read: " + error; });

/** Numbers of a run; morph targets are taken out of its animation, because they are magnified here. */
function prepare(clip) {
  clip.time = floats(clip.time);
  for (const [key, width] of [["tension", data.lines.length], ["taut", data.lines.length], ["attitude", 4], ["planet", 3], ["orbit", 3]])
    clip[key] = clip[key] && width ? new Track(clip[key], width) : null;
  for (const name in clip.arrows) clip.arrows[name] = new Track(clip.arrows[name], 3);
  clip.values = floats(clip.values);
  const tracks = clip.animation.tracks;
  clip.morphs = tracks.filter((t) => t.name.endsWith(".morphTargetInfluences"))
    .map((t) => ({ node: t.name.split(".")[0], read: t.createInterpolant(new Float32Array(t.getValueSize())) }));
  clip.animation.tracks = tracks.filter((t) => !t.name.endsWith(".morphTargetInfluences"));
}

/** Names, joint frames, vectors, the planet. */
function decorate(root, scene) {
  for (const name in bodies) {
    if (data.wheels.includes(name)) continue;
    const frame = new THREE.AxesHelper(0.12 * data.size);
    frame.visible = false;
    bodies[name].add(frame); axes.push(frame);
    const label = text(name);
    label.position.set(...(data.centers[name] || [0, 0, 0]));
    label.userData.radius = data.radii[name] || 0;
    label.userData.dot = dot(0.012);  // of a body that is too far away to be seen
    label.userData.dot.position.copy(label.position);
    bodies[name].add(label.userData.dot);
    bodies[name].add(label); labels.push(label);
  }
  const colors = [0x5ec8ff, 0xff7ad9, 0x9dff7a, 0xffe066];
  const all = new Set(data.clips.flatMap((clip) => Object.keys(clip.arrows)));
  [...all].forEach((name, i) => {
    const arrow = new THREE.ArrowHelper(new THREE.Vector3(1, 0, 0), new THREE.Vector3(), 1, colors[i % 4]);
    arrow.visible = false;
    root.add(arrow); arrows[name] = arrow;
    const label = document.createElement("label");
    label.innerHTML = `<input type="checkbox"> <span style="color:#${colors[i % 4].toString(16).padStart(6, "0")}">${name}</span>`;
    label.firstChild.addEventListener("change", (event) => { arrow.visible = event.target.checked; });
    at("arrows").appendChild(label);
  });
  for (const clip of data.clips) for (const name in clip.trails) {
    const places = new THREE.BufferGeometry();
    places.setAttribute("position", new THREE.BufferAttribute(floats(clip.trails[name]), 3));
    const line = new THREE.Line(places, new THREE.LineBasicMaterial({ color: 0x9dff7a }));
    line.frustumCulled = false;
    root.add(line); trails.push({ line, clip, guided: clip.guided.includes(name) });
  }
  at("trails-label").hidden = !trails.length;
  scene.traverse((node) => {
    if (node.isMesh && node.material.name && node.material.name.startsWith("line ")) {
      const i = data.lines.findIndex((line) => line.name === node.material.name.slice(5));
      lineMaterials[i] = node.material;
    }
  });
  if (data.planet) {
    planet = globe(data.planet);
    root.add(planet);
    orbit = { stage: new THREE.Scene(), line: new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xffcf80 })), mark: dot(0.02) };
    orbit.stage.background = stage.background;
    orbit.stage.add(new THREE.HemisphereLight(0xffffff, 0x33445a, 1.1), globe(1), orbit.line, orbit.mark);
    orbit.stage.rotation.x = -Math.PI / 2;  // z upward, as in the craft's scene
  }
}

/** A sphere with its meridians and parallels, for want of a photograph. */
function globe(radius) {
  const canvas = document.createElement("canvas"), g = canvas.getContext("2d");
  canvas.width = 1024; canvas.height = 512;
  const sea = g.createLinearGradient(0, 0, 0, 512);
  for (const [where, color] of [[0, "#c5d3df"], [0.12, "#2b5a8c"], [0.5, "#1c4470"], [0.88, "#2b5a8c"], [1, "#c5d3df"]]) sea.addColorStop(where, color);
  g.fillStyle = sea; g.fillRect(0, 0, 1024, 512);
  g.strokeStyle = "#ffffff55";
  for (let x = 0; x <= 1024; x += 1024 / 24) { g.beginPath(); g.moveTo(x, 0); g.lineTo(x, 512); g.stroke(); }
  for (let y = 0; y <= 512; y += 512 / 12) { g.beginPath(); g.moveTo(0, y); g.lineTo(1024, y); g.stroke(); }
  const sphere = new THREE.Mesh(new THREE.SphereGeometry(radius, 288, 144), new THREE.MeshLambertMaterial({ map: new THREE.CanvasTexture(canvas) }));
  sphere.geometry.rotateX(Math.PI / 2);  // poles along z
  return sphere;
}

// ---- what a person chooses

function options(select, rows) {
  select.innerHTML = "";
  for (const [value, words] of rows) select.add(new Option(words, value));
}

function fill() {
  at("notes").textContent = data.notes.join(". ");
  options(at("clip"), data.clips.map((clip, i) => [i, clip.name]));
  at("clip-label").hidden = data.clips.length < 2;
  const cameras = [["", "free"], ...Object.keys(bodies).filter((n) => !data.wheels.includes(n)).map((n) => ["body " + n, "on " + n])];
  if (data.turning) cameras.push(["inertial", "free, inertial axes"]);
  if (data.planet) cameras.push(["orbit", "orbit"]);
  options(at("camera"), cameras);
  at("bend-label").hidden = !data.bends;
  options(at("speed"), [0.1, 0.25, 0.5, 1, 2, 5, 10, 50, 200, 1000].map((s) => [s, "× " + s]));
  options(at("variable"), [["", "none"], ...Object.keys(data.variables).map((name) => [name, name])]);
  at("variable").value = data.first || "";
  at("scale").hidden = !data.lines.some((line) => line.tension);
  at("clip").onchange = () => choose(Number(at("clip").value));
  at("camera").onchange = look;
  at("names").onchange = () => labels.forEach((label) => { label.visible = at("names").checked; });
  at("frames").onchange = () => axes.forEach((frame) => { frame.visible = at("frames").checked; });
  at("glass").onchange = glass;
  at("trails").onchange = showTrails;
  at("play").onclick = () => setPlaying(!playing);
  at("scrub").oninput = () => { time = start() + Number(at("scrub").value) * span(); };
  addEventListener("keydown", (event) => { if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); setPlaying(!playing); } });
  at("plot").onclick = (event) => { time = start() + span() * (event.offsetX - 40) / (at("plot").clientWidth - 50); clampTime(); };
  addEventListener("resize", resize);
  for (const kind of ["input", "change", "click", "keydown", "resize"]) addEventListener(kind, () => { due = true; }, true);
  controls.addEventListener("change", () => { due = true; });
  resize();
}

function choose(i) {
  run = data.clips[i];
  mixer = new THREE.AnimationMixer(world);
  const action = mixer.clipAction(run.animation);
  action.setLoop(THREE.LoopOnce); action.clampWhenFinished = true; action.play();
  morphs = run.morphs.map(({ node, read }) => ({ mesh: world.getObjectByName(node), read })).filter(({ mesh }) => mesh);
  const wanted = span() / 20, speeds = [...at("speed").options].map((o) => Number(o.value));
  at("speed").value = speeds.reduce((best, s) => Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best);
  time = start();
  showTrails();
  if (orbit && run.orbit) {
    orbit.line.geometry.dispose();
    orbit.line.geometry = new THREE.BufferGeometry();
    orbit.line.geometry.setAttribute("position", new THREE.BufferAttribute(run.orbit.values, 3));
  }
  draw();
}

const start = () => run.time[0], span = () => Math.max(run.time[run.time.length - 1] - run.time[0], 1e-9);
const clampTime = () => { time = Math.min(Math.max(time, start()), start() + span()); };

function setPlaying(now) {
  playing = now;
  at("play").textContent = playing ? "❚❚" : "▶";
  if (playing && time >= start() + span() * (1 - 1e-9)) time = start();
}

/** Where nodes were in this run: paths that were given always, the others if asked for. */
function showTrails() {
  for (const { line, clip, guided } of trails) line.visible = clip === run && (guided || at("trails").checked);
}

function glass() {
  world.traverse((node) => {
    if (!node.isMesh || node === planet) return;
    const m = node.material;
    m.userData.opacity ??= m.opacity; m.userData.transparent ??= m.transparent;
    m.opacity = at("glass").checked ? 0.35 : m.userData.opacity;
    m.transparent = at("glass").checked || m.userData.transparent;
    m.depthWrite = !m.transparent; m.needsUpdate = true;
  });
}

/** Puts the camera where all of the craft is seen. */
function frameAll() {
  draw();
  const [box, reach] = [data.box, data.reach].map((corners) => new THREE.Box3().setFromPoints(corners.map(([x, y, z]) => new THREE.Vector3(x, z, -y))));  // z upward
  if (reach.getSize(new THREE.Vector3()).length() < FAR * data.size) box.union(reach);
  const center = box.getCenter(new THREE.Vector3()), radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-3);
  controls.target.copy(center);
  camera.position.copy(center).add(new THREE.Vector3(0.75, 0.5, 0.85).normalize().multiplyScalar(radius / Math.sin(0.95 * camera.fov / 2 * Math.PI / 180) * Math.max(1, 1 / camera.aspect)));
  camera.up.set(0, 1, 0);
}

function look() {
  const chosen = at("camera").value;
  follow = chosen.startsWith("body ") ? bodies[chosen.slice(5)] : null;
  if (follow) follow.getWorldPosition(stood);
  if (chosen === "orbit") { controls.target.set(0, 0, 0); camera.position.set(2.2, 1.8, 3.2); camera.up.set(0, 1, 0); }
  else if (!follow) frameAll();
  else { controls.target.copy(stood); }
}

// ---- one frame

function step(now) {
  if (playing && last !== null) {
    time += Number(at("speed").value) * Math.min((now - last) / 1000, 0.1);
    if (time >= start() + span()) { clampTime(); setPlaying(false); due = true; }
  }
  last = now;
  controls.update();
  if (playing || due) draw();  // at rest nothing is drawn: a page that is left open costs nothing
  requestAnimationFrame(step);
}

function draw() {
  due = false; pictures++;
  let lo = 0, hi = run.time.length - 1;
  while (lo < hi - 1) { const mid = (lo + hi) >> 1; if (run.time[mid] <= time) lo = mid; else hi = mid; }
  const share = hi > lo ? Math.min(Math.max((time - run.time[lo]) / (run.time[hi] - run.time[lo]), 0), 1) : 0;
  mixer.setTime(Math.min(time, start() + span() * (1 - 1e-7)));  // an action that has ended can't be moved back
  const bend = Math.pow(10, Number(at("bend").value));
  at("bend-value").textContent = bend < 10 ? bend.toFixed(1) : bend.toFixed(0);
  for (const { mesh, read } of morphs) read.evaluate(time).forEach((w, i) => { mesh.morphTargetInfluences[i] = bend * w; });
  colorLines(lo, share);
  for (const name in arrows) if (run.arrows[name]) point(arrows[name], run.arrows[name], lo, share);
  const chosen = at("camera").value;
  const q = run.attitude ? new THREE.Quaternion(...turned(run.attitude.at(lo, share))).normalize() : new THREE.Quaternion();
  if (planet && run.planet) { planet.position.set(...run.planet.at(lo, share)); planet.quaternion.copy(q).invert(); }
  const up = new THREE.Quaternion(-Math.SQRT1_2, 0, 0, Math.SQRT1_2);
  if (chosen === "inertial") world.quaternion.copy(up).multiply(q).multiply(up.clone().invert()); else world.quaternion.identity();
  world.updateMatrixWorld(true);
  if (follow) {
    const here = follow.getWorldPosition(new THREE.Vector3()), moved = here.clone().sub(stood);
    camera.position.add(moved); controls.target.add(moved); stood = here;
  }
  placeLabels();
  lamp.position.copy(camera.position).sub(controls.target).add(new THREE.Vector3(0, 0.5 * data.size, 0)); lamp.target.position.set(0, 0, 0);
  if (chosen === "orbit" && orbit && run.orbit) { orbit.mark.position.set(...run.orbit.at(lo, share)); renderer.render(orbit.stage, camera); }
  else renderer.render(stage, camera);
  at("scrub").value = (time - start()) / span();
  at("clock").textContent = `${time.toFixed(span() < 10 ? 3 : 1)} s`;
  plot(time);
}

const turned = ([w, x, y, z]) => [x, y, z, w];

/** Cables by tension, from blue to red; slack ones grey. */
function colorLines(frame, share) {
  if (!run.tension) return;
  const pull = run.tension.at(frame, share), taut = run.taut.at(frame, 0);
  const most = Math.max(...run.tension.values.map(Math.abs), 1e-12);
  at("most").textContent = most.toPrecision(3);
  lineMaterials.forEach((material, i) => {
    if (!data.lines[i].tension) return;
    const slack = data.lines[i].taut ? taut[i] < 0.5 : Math.abs(pull[i]) < 1e-6 * most;
    if (slack) material.color.set(0x9aa7b4); else material.color.setHSL(0.61 * (1 - Math.abs(pull[i]) / most), 0.8, 0.5);
  });
}

function point(arrow, track, frame, share) {
  const v = new THREE.Vector3(...track.at(frame, share)), size = v.length();
  track.most ??= Math.max(...Array.from({ length: track.values.length / 3 }, (_, i) => Math.hypot(...track.values.slice(3 * i, 3 * i + 3))));
  const first = Object.values(bodies)[0];
  arrow.position.copy(first.position);
  if (size > 0) arrow.setDirection(v.normalize());
  arrow.setLength(Math.max(0.5 * data.size * size / track.most, 1e-6), 0.05 * data.size, 0.03 * data.size);
}

function resize() {
  const { clientWidth: wide, clientHeight: high } = at("stage");
  renderer.setPixelRatio(devicePixelRatio);
  renderer.setSize(wide, high);
  camera.aspect = wide / Math.max(high, 1); camera.updateProjectionMatrix();
  controls.handleResize();
}

// For tests, and for whoever wants to drive the page.
window.view = {
  ready: false,
  get time() { return time; },
  get pictures() { return pictures; },
  seek(t) { time = t; clampTime(); draw(); },
  place: (name) => bodies[name].getWorldPosition(new THREE.Vector3()).toArray(),
  influences: () => morphs.map(({ mesh }) => [...mesh.morphTargetInfluences]),
  triangles: () => renderer.info.render.triangles,
  names: () => shown,
  trails: () => trails.filter(({ line }) => line.visible).length,
};
