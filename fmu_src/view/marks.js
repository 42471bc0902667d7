// What is drawn on the craft beside its bodies: names, joint frames, vectors, paths of nodes, colours of cables.
import { dot, text } from "./names.js";
import { at, data, floats } from "./page.js";
import { bodies, world } from "./stage.js";
import { state } from "./state.js";

export const labels = [], axes = [], arrows = {}, trails = [], lineMaterials = [];
const VECTORS = [0x5ec8ff, 0xff7ad9, 0x9dff7a, 0xffe066];

export function decorate(root, scene) {
  for (const name in bodies) {
    if (data.wheels.includes(name)) continue;
    const frame = new THREE.AxesHelper(0.12 * data.size);
    Object.assign(frame, { visible: false, renderOrder: 1 }); frame.material.depthTest = false;
    bodies[name].add(frame); axes.push(frame);
    const label = text(name);
    label.position.set(...(data.centers[name] || [0, 0, 0]));
    label.userData.radius = data.radii[name] || 0;
    label.userData.dot = dot(0.012);  // of a body that is too far away to be seen
    label.userData.dot.position.copy(label.position);
    bodies[name].add(label.userData.dot);
    bodies[name].add(label); labels.push(label);
  }
  const all = new Set(data.clips.flatMap((clip) => Object.keys(clip.arrows)));
  [...all].forEach((name, i) => {
    const color = VECTORS[i % 4], arrow = pointer(color);
    root.add(arrow); arrows[name] = arrow;
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox" }), words = document.createElement("span");
    words.textContent = ` ${name}`;
    words.style.color = `#${color.toString(16).padStart(6, "0")}`;
    label.append(box, words);
    box.addEventListener("change", () => { arrow.visible = box.checked; });
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
    if (node.isMesh && node.material.name && node.material.name.startsWith("line "))
      lineMaterials[data.lines.findIndex((line) => line.name === node.material.name.slice(5))] = node.material;
  });
  scene.traverse((node) => { if (node.isMesh && node.name.startsWith("plume")) glow(node); });
}

/** Where nodes were in this run: paths that were given always, the others if asked for. */
export function showTrails() {
  for (const { line, clip, guided } of trails) line.visible = clip === state.run && (guided || at("trails").checked);
}

export function glass() {
  const clear = at("glass").checked;
  world.traverse((node) => {
    if (!node.isMesh || node.material.isShaderMaterial) return;
    const m = node.material;
    m.userData.opacity ??= m.opacity; m.userData.transparent ??= m.transparent;
    m.opacity = clear ? 0.35 : m.userData.opacity;
    m.transparent = clear || m.userData.transparent;
    m.depthWrite = !m.transparent; m.needsUpdate = true;
  });
}

/** Cables by tension, from blue to red; slack ones grey. */
export function colorLines(frame, share) {
  const { run } = state;
  if (!run.tension) return;
  const pull = run.tension.at(frame, share), taut = run.taut.at(frame, 0);
  run.most ??= run.tension.values.reduce((most, v) => Math.max(most, Math.abs(v)), 1e-12);
  at("most").textContent = run.most.toPrecision(3);
  lineMaterials.forEach((material, i) => {
    if (!data.lines[i].tension) return;
    const slack = data.lines[i].taut ? taut[i] < 0.5 : Math.abs(pull[i]) < 1e-6 * run.most;
    if (slack) material.color.set(0x9aa7b4); else material.color.setHSL(0.61 * (1 - Math.abs(pull[i]) / run.most), 0.8, 0.5);
  });
}

/** A plume is bright where it leaves its nozzle, and fades. */
function glow(plume) {
  const places = plume.geometry.attributes.position, end = plume.geometry.boundingBox.max.z, colors = [];
  for (let i = 0; i < places.count; i++) { const bright = (1 - places.getZ(i) / end) ** 2; colors.push(bright, bright, bright); }
  plume.geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
  plume.material = new THREE.MeshBasicMaterial({ color: plume.material.color, vertexColors: true, transparent: true, blending: THREE.AdditiveBlending, depthWrite: false, side: THREE.DoubleSide });
}

/** An arrow along z that no body covers: its shaft has the length 1, its head is as large as suits the craft. */
function pointer(color) {
  const paint = new THREE.MeshBasicMaterial({ color: new THREE.Color(color).convertSRGBToLinear(), depthTest: false, transparent: true }), out = new THREE.Group();
  const turned = (geometry) => geometry.translate(0, 0.5, 0).rotateX(Math.PI / 2);
  out.add(new THREE.Mesh(turned(new THREE.CylinderGeometry(1, 1, 1, 12)), paint), new THREE.Mesh(turned(new THREE.ConeGeometry(1, 1, 16)), paint));
  out.children.forEach((part) => { part.frustumCulled = false; part.renderOrder = 2; });
  out.children[1].scale.set(0.02 * data.size, 0.02 * data.size, 0.06 * data.size);
  out.visible = false;
  return out;
}

/** A vector on the first body, half as long as the craft at its largest size in the run. */
export function point(arrow, track, frame, share) {
  if (!track) return;
  const v = new THREE.Vector3(...track.at(frame, share)), size = v.length(), [shaft, head] = arrow.children;
  track.most ??= Math.max(...Array.from({ length: track.values.length / 3 }, (_, i) => Math.hypot(...track.values.slice(3 * i, 3 * i + 3))));
  const long = Math.max(0.5 * data.size * size / track.most, 1e-6);
  arrow.position.copy(Object.values(bodies)[0].position);
  if (size > 0) arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), v.normalize());
  shaft.scale.set(0.004 * data.size, 0.004 * data.size, long);
  head.position.z = long;
}
