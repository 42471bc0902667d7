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

const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.outputEncoding = THREE.sRGBEncoding;
at("stage").appendChild(renderer.domElement);
const stage = new THREE.Scene(), camera = new THREE.PerspectiveCamera(40, 1, 1e-3, 1e9);
const controls = new THREE.TrackballControls(camera, renderer.domElement);
controls.rotateSpeed = 2.5; controls.zoomSpeed = 1.2; controls.dynamicDampingFactor = 0.2;
const world = new THREE.Group();  // turns from the frame's axes to inertial ones, if asked to
stage.add(world);
const UPWARD = new THREE.Quaternion(-Math.SQRT1_2, 0, 0, Math.SQRT1_2);  // from z upward, as craft are described, to y upward

let run, mixer, morphs = [], bodies = {};
let due = true, pictures = 0;  // something has changed since the last picture; how many were drawn
let time = 0, playing = false, last = null, follow = null, stood = new THREE.Vector3();

new THREE.GLTFLoader().parse(bytes(data.glb), "", (gltf) => {
  world.add(gltf.scene);
  gltf.scene.traverse((node) => {
    const name = (node.userData && node.userData.name) || node.name;
    if (node.isMesh || node.isLine) node.frustumCulled = false;  // bent further than the boxes around the shapes know
    if (node.isMesh) Object.assign(node.material, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });  // lines lie on it
    if (name.startsWith("body ")) bodies[name.slice(5)] = node;
  });
  data.clips.forEach((clip, i) => { clip.animation = gltf.animations[i]; prepare(clip); });
  decorate(gltf.scene.children[0], gltf.scene);
  fill();
  choose(0);
  home();
  window.view.ready = true;
  requestAnimationFrame(step);
}, (error) => { at("notes").textContent = "the scene can't be read: " + error; });

/** Numbers of a run; morph targets are taken out of its animation, because they are magnified here. */
function prepare(clip) {
  clip.time = floats(clip.time);
  const widths = { tension: data.lines.length, taut: data.lines.length, attitude: 4, planet: 3, orbit: 3, values: data.columns };
  for (const key in widths) clip[key] = clip[key] && widths[key] ? new Track(clip[key], widths[key]) : null;
  for (const name in clip.arrows) clip.arrows[name] = new Track(clip.arrows[name], 3);
  const tracks = clip.animation.tracks;
  clip.morphs = tracks.filter((t) => t.name.endsWith(".morphTargetInfluences"))
    .map((t) => ({ node: t.name.split(".")[0], read: t.createInterpolant(new Float32Array(t.getValueSize())) }));
  clip.animation.tracks = tracks.filter((t) => !t.name.endsWith(".morphTargetInfluences"));
}

function choose(i) {
  run = data.clips[i];
  mixer = new THREE.AnimationMixer(world);
  const action = mixer.clipAction(run.animation);
  action.setLoop(THREE.LoopOnce); action.clampWhenFinished = true; action.play();
  morphs = run.morphs.map(({ node, read }) => ({ mesh: world.getObjectByName(node), read })).filter(({ mesh }) => mesh);
  const wanted = data.swings ? 1 : span() / 20, speeds = [...at("speed").options].map((o) => Number(o.value));
  at("speed").value = speeds.reduce((best, s) => Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best);
  time = start();
  markEvents();
  showTrails();
  drawOrbit();
  draw();
}

const start = () => run.time[0], span = () => Math.max(run.time[run.time.length - 1] - run.time[0], 1e-9);
const clampTime = () => { time = Math.min(Math.max(time, start()), start() + span()); };

// ---- one frame

function step(now) {
  if (playing && last !== null) {
    time += Number(at("speed").value) * Math.min((now - last) / 1000, 0.1);
    if (time >= start() + span()) {
      if (at("loop").checked) time = start() + (time - start()) % span(); else { clampTime(); setPlaying(false); }
      due = true;
    }
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
  const chosen = at("camera").value;
  const [w, x, y, z] = run.attitude ? run.attitude.at(lo, share) : [1, 0, 0, 0], q_NS = new THREE.Quaternion(x, y, z, w).normalize();
  if (chosen === "inertial") world.quaternion.copy(UPWARD).multiply(q_NS).multiply(UPWARD.clone().invert()); else world.quaternion.identity();
  world.updateMatrixWorld(true);
  if (follow) {
    const here = follow.getWorldPosition(new THREE.Vector3()), moved = here.clone().sub(stood);
    camera.position.add(moved); controls.target.add(moved); stood = here;
  }
  for (const name in arrows) point(arrows[name], run.arrows[name], lo, share);
  const far = chosen === "orbit" && run.orbit;
  camera.near = 0.01 * camera.position.distanceTo(controls.target); camera.updateProjectionMatrix();
  camera.updateMatrixWorld();
  light(lo, share, q_NS);
  placeLabels();
  renderer.render(far ? orbit.stage : stage, camera);
  bearings(far);
  at("scrub").value = (time - start()) / span();
  at("clock").textContent = `${time.toFixed(span() < 10 ? 3 : 1)} s`;
  plot(lo, share);
  dispatchEvent(new Event("drawn"));  // a report around the view follows its time
}

function resize() {
  const { clientWidth: wide, clientHeight: high } = at("stage");
  renderer.setPixelRatio(devicePixelRatio);
  renderer.setSize(wide, high);
  camera.aspect = wide / Math.max(high, 1);
  const aside = wide > 900 ? 60 : 0;  // the middle between plots and choices
  camera.setViewOffset(wide, high, -aside, 0, wide, high);
  controls.handleResize();
}

// For tests, and for whoever wants to drive the page.
window.view = {
  ready: false,
  get time() { return time; },
  get playing() { return playing; },
  get pictures() { return pictures; },
  seek(t) { time = t; clampTime(); draw(); },
  place: (name) => bodies[name].getWorldPosition(new THREE.Vector3()).toArray(),
  influences: () => morphs.filter(({ mesh }) => mesh.isMesh).map(({ mesh }) => [...mesh.morphTargetInfluences]),
  triangles: () => renderer.info.render.triangles,
  names: () => shown,
  plots: () => plots.map(({ name }) => name),
  trails: () => trails.filter(({ line }) => line.visible).length,
};
