// Camera, marks, plots, saved pictures: shared by views and live pages.
import { draw } from "./draw.js";
import { axes, glass, labels, showTrails } from "./marks.js";
import { at, data } from "./page.js";
import { addPlot } from "./plot.js";
import { sun } from "./sky.js";
import { bodies, camera, controls, renderer, resize } from "./stage.js";
import { start, state } from "./state.js";

const FAR = 4;  // what moves further than so many times its size is followed by the camera
const FILLED = 0.82;  // of the picture, by what is looked at

/** Rows [value, words] as the choices of a list. */
export function options(select, rows) {
  select.replaceChildren();
  for (const [value, words] of rows) select.add(new Option(words, value));
}

/** reset: puts the camera back. */
export function fillLooks(reset) {
  at("notes").textContent = data.notes.join(". ");
  const cameras = [["", "free"], ...(state.run?.craft ? [["craft", "on the craft"]] : []), ...Object.keys(bodies).filter((n) => !data.wheels.includes(n)).map((n) => ["body " + n, "on " + n])];
  if (data.turning) cameras.push(["inertial", "free, inertial axes"]);
  if (data.planet) cameras.push(["orbit", "orbit"]);
  options(at("camera"), cameras);
  at("bend-label").hidden = !data.bends;
  options(at("variable"), [["", "add a variable …"], ...Object.keys(data.variables).map((name) => [name, name])]);
  at("plot-label").hidden = !Object.keys(data.variables).length;
  data.first.forEach(addPlot);
  at("scale").hidden = !data.lines.some((line) => line.tension);
  at("camera").onchange = look;
  at("names").onchange = () => labels.forEach((label) => { label.visible = at("names").checked; });
  at("frames").onchange = () => axes.forEach((frame) => { frame.visible = at("frames").checked; });
  at("glass").onchange = glass;
  at("trails").onchange = showTrails;
  at("variable").onchange = () => { if (at("variable").value) addPlot(at("variable").value); at("variable").value = ""; };
  at("home").onclick = reset;
  at("save").onclick = save;
  addEventListener("resize", resize);
  for (const kind of ["input", "change", "click", "keydown", "resize"]) addEventListener(kind, () => { state.due = true; }, true);
  controls.addEventListener("change", () => { state.due = true; });
  resize();
}

/** The picture as a file, without what stands around it. */
function save() {
  draw();
  const link = document.createElement("a");
  link.download = `${document.title.replace(/[^\w.-]+/g, "_")}_${state.time.toFixed(2)}s.png`;
  link.href = renderer.domElement.toDataURL("image/png");
  link.click();
}

/** The camera that suits the run: on the first body, if it goes far; else free. */
export function home() {
  const far = new THREE.Box3().setFromPoints(data.reach.map((point) => new THREE.Vector3(...point)));
  at("camera").value = "";
  follow(null);
  frameAll();
  if (far.getSize(new THREE.Vector3()).length() < FAR * data.size) return;
  at("camera").selectedIndex = 1;
  follow(bodies[at("camera").value.slice(5)]);
  const zoom = Math.max(1, 1.4 * data.spread / data.size), away = camera.position.clone().sub(controls.target);
  if (zoom > 1.5 || state.time > start()) controls.target.copy(state.stood);  // what swings or unreels is seen to its end, from the first body
  camera.position.copy(controls.target).addScaledVector(away, zoom);
}

/** The box around all that is seen at first, and around the whole run if that does not go far; y upward. */
function framed() {
  const [box, reach] = [data.box, data.reach].map((corners) => new THREE.Box3().setFromPoints(corners.map(([x, y, z]) => new THREE.Vector3(x, z, -y))));  // z upward
  return reach.getSize(new THREE.Vector3()).length() < FAR * data.size ? box.union(reach) : box;
}

/** Puts the camera where all of the craft is seen, on that side of it which the Sun shines on. */
function frameAll() {
  draw();
  const aim = sun.position.clone().sub(sun.target.position).normalize();
  const side = [[1, 1], [-1, 1], [1, -1], [-1, -1]].map(([x, z]) => new THREE.Vector3(0.75 * x, 0.5, 0.85 * z).normalize())
    .reduce((best, each) => each.dot(aim) > best.dot(aim) + 0.3 ? each : best);
  const box = state.run.box?.() ?? framed(), center = box.getCenter(new THREE.Vector3()), tangent = Math.tan(camera.fov / 2 * Math.PI / 180);
  const right = new THREE.Vector3(0, 1, 0).cross(side).normalize(), up = side.clone().cross(right);
  let distance = 1e-3;  // at which each corner of the box is within the picture
  for (let i = 0; i < 8; i++) {
    const corner = new THREE.Vector3(box[i & 1 ? "max" : "min"].x, box[i & 2 ? "max" : "min"].y, box[i & 4 ? "max" : "min"].z).sub(center);
    const wide = Math.max(Math.abs(corner.dot(right)) / camera.aspect, Math.abs(corner.dot(up)));
    distance = Math.max(distance, corner.dot(side) + wide / (FILLED * tangent));
  }
  controls.target.copy(center);
  camera.position.copy(center).addScaledVector(side, distance);
  camera.up.set(0, 1, 0);
}

/** The camera goes along with a body, or with none. */
function follow(body) {
  state.follow = body;
  if (body) body.getWorldPosition(state.stood);
}

function look() {
  const chosen = at("camera").value;
  follow(chosen === "craft" ? state.run.craft : chosen.startsWith("body ") ? bodies[chosen.slice(5)] : null);
  if (chosen === "orbit") { controls.target.set(0, 0, 0); camera.position.set(2.2, 1.8, 3.2); camera.up.set(0, 1, 0); }
  else if (!state.follow || chosen === "craft") frameAll();
  else { controls.target.copy(state.stood); }
}
