// Puts bodies, lines and plumes where the model's picture has them: numbers in the order of fmu_src/native/trace/placing.py.
import { at, data } from "../view/page.js";
import { bodies, world } from "../view/stage.js";

const FAR = 1e5;  // [m] from the frame's origin: from there on places are shown relative to the first body
const SLOW = 0.4;  // largest turn of a wheel between two pictures [rad]: what turns faster is shown slower
const THIN = 0.002, NOTHING = 1e-4;  // radius of a line, relative to the scene; scale of a plume that is off
const UP = new THREE.Vector3(0, 0, 1), ACROSS = new THREE.Vector3(1, 0, 0);
const nodes = { bending: [], lines: [], plumes: [], liquids: [], parts: [] }, angles = [];
let most = 1e-300;  // largest thrust so far

/** A value of the present, as views read it between frames. */
export class Now {
  constructor(now) { this.now = now; this.most = 1e-12; }
  at() { return this.now; }
  set(now, size = 0) { this.now = now; this.most = Math.max(this.most, size); }
}

export function findNodes() {
  const named = {};
  world.traverse((node) => { if (node.userData.name) named[node.userData.name] = node; });
  nodes.bending = data.picture.bodies.map(({ name }) => {
    const found = [];
    bodies[name].traverse((node) => { if (node.morphTargetInfluences) found.push(node); });
    return found;
  });
  nodes.lines = data.lines.map(({ name }) => named[`line ${name}`].children);
  for (const node of [...Object.values(bodies), ...nodes.lines.flat()]) {
    node.traverse((part) => { if (part.isMesh && !part.name.startsWith("plume")) nodes.parts.push({ part, box: new THREE.Box3().setFromBufferAttribute(part.geometry.attributes.position) }); });
  }
  nodes.plumes = data.picture.jets.map(({ name }) => named[`plume ${name}`]);
  nodes.liquids = data.picture.liquids.map(({ name }) => named[`liquid ${name}`]);
}

/** The box around bodies and lines as they stand now, y upward. */
export function present() {
  const whole = new THREE.Box3(), own = new THREE.Box3();
  for (const { part, box } of nodes.parts) whole.union(own.copy(box).applyMatrix4(part.matrixWorld));
  return whole;
}

/** run: its tracks get the present values; row: of the recorded variables; passed [s]: since the last picture. */
export function place(run, { numbers, row }, passed, bend) {
  const { picture } = data, part = {};
  let from = 0;
  for (const [name, length] of Object.entries(picture.parts)) { part[name] = numbers.subarray(from, from + length); from += length; }
  const vector = (values, i) => new THREE.Vector3(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
  const R_NS = part.dcm_NS, toS = ([x, y, z]) => [0, 1, 2].map((i) => R_NS[i] * x + R_NS[3 + i] * y + R_NS[6 + i] * z), toN = ([x, y, z]) => [0, 1, 2].map((i) => R_NS[3 * i] * x + R_NS[3 * i + 1] * y + R_NS[3 * i + 2] * z);
  const first = vector(part.positions, 0), shift = data.planet && first.length() > FAR ? first : new THREE.Vector3();
  let mode = 0;
  picture.bodies.forEach(({ name, modes, axis, speed }, i) => {
    const node = bodies[name];
    node.position.copy(vector(part.positions, i)).sub(shift);
    node.quaternion.copy(attitude(part.dcms.subarray(9 * i, 9 * i + 9)));
    if (axis && speed >= 0) {
      angles[i] = ((angles[i] ?? 0) + Math.min(Math.max(row[speed] * passed, -SLOW), SLOW)) % (2 * Math.PI);
      node.quaternion.multiply(new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(...axis), angles[i]));
    }
    for (const mesh of nodes.bending[i]) for (let k = 0; k < modes; k++) mesh.morphTargetInfluences[k] = bend * part.amplitudes[mode + k];
    mode += modes;
  });
  picture.lines.forEach((line, i) => stretch(nodes.lines[i], points(line, vector(part.ends, 2 * i).sub(shift), vector(part.ends, 2 * i + 1).sub(shift), row, toS, shift)));
  picture.jets.forEach(({ force }, i) => {
    const pull = force < 0 ? 0 : Math.abs(row[force]);
    most = Math.max(most, pull);
    nodes.plumes[i].scale.setScalar(Math.max(pull / most, NOTHING));
  });
  picture.liquids.forEach(({ fill }, i) => level(nodes.liquids[i].morphTargetInfluences, picture.levels, row[fill]));
  const pulls = picture.lines.map(({ tension }) => (tension < 0 ? 0 : row[tension]));
  run.tension.set(pulls); run.most = Math.max(run.most, ...pulls.map(Math.abs));
  run.taut.set(picture.lines.map(({ taut }) => (taut < 0 ? 1 : row[taut])));
  const q = attitude(R_NS);
  run.attitude.set([q.w, q.x, q.y, q.z]);
  for (const [name, columns] of Object.entries(picture.arrows)) {
    const v = columns.map((column) => row[column]);
    run.arrows[name].set(name === "velocity" ? v : toS(v), Math.hypot(...v));
  }
  if (run.arrows.Sun && part.sun.length) run.arrows.Sun.set([...part.sun], 1);
  if (run.planet) {
    const center = toS(part.origin).map((value, i) => -value - shift.getComponent(i));
    run.planet.set(center);
    run.orbit.set(toN(center.map((value) => -value / data.planet)));
  }
  at("most").textContent = run.most.toPrecision(3);
}

/** Of a rotation matrix by rows, which may be one between two. */
function attitude(dcm) {
  const axes = [0, 1, 2].map((i) => new THREE.Vector3(dcm[i], dcm[3 + i], dcm[6 + i]).normalize());
  return new THREE.Quaternion().setFromRotationMatrix(new THREE.Matrix4().makeBasis(...axes)).normalize();
}

/** Points along a line: its beads; of a slack cable an arc of its length (fmu_src/scene/motion.py); else straight. */
function points({ cable, beads, length, taut }, a, b, row, toS, shift) {
  if (!cable) return [a, b];
  if (beads.length) {
    const inner = Array.from({ length: beads.length / 3 }, (_, i) => new THREE.Vector3(...toS([0, 1, 2].map((k) => row[beads[3 * i + k]]))).sub(shift));
    return [a, ...inner, b];
  }
  const slack = taut < 0 || row[taut] < 0.5;  // between two rows, the ends of a taut cable may be nearer than its length
  const span = b.clone().sub(a), distance = span.length(), long = length < 0 || !slack ? distance : row[length], longer = Math.max(long, distance);
  const sag = Math.min(Math.sqrt(0.375 * Math.max(long - distance, 0) * longer), 0.5 * longer);  // a parabola of sag s on a span D is longer than it by (8/3) s²/D
  const down = span.clone().cross(span.clone().cross(UP)), size = down.length();
  if (size > 1e-9) down.divideScalar(size); else down.copy(ACROSS);
  return Array.from({ length: 13 }, (_, i) => a.clone().addScaledVector(span, i / 12).addScaledVector(down, sag * 4 * (i / 12) * (1 - i / 12)));
}

/** Weights of a liquid's levels: straight between the two nearest (fmu_src/scene/scene.py). */
function level(weights, levels, fill) {
  const here = Math.min(Math.max(fill, 0), 1), above = Math.max(levels.findIndex((each) => each >= here), 1);
  const share = (here - levels[above - 1]) / (levels[above] - levels[above - 1]);
  weights.fill(0);
  weights[above - 1] = share;
  if (above > 1) weights[above - 2] = 1 - share;
}

/** Cylinders from point to point. */
function stretch(segments, places) {
  const radius = THIN * Math.max(data.size, places[0].distanceTo(places.at(-1)));
  segments.forEach((node, s) => {
    const span = places[s + 1].clone().sub(places[s]), length = Math.max(span.length(), 1e-6);
    node.position.copy(places[s]).addScaledVector(span, 0.5);
    node.quaternion.setFromUnitVectors(UP, span.divideScalar(length));
    node.scale.set(radius, radius, length);
  });
}
