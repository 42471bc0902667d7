// One picture: everything where it is at the time of the run.
import { bearings } from "./bearings.js";
import { arrows, colorLines, labels, point } from "./marks.js";
import { placeLabels } from "./names.js";
import { at } from "./page.js";
import { plot } from "./plot.js";
import { farStage, light } from "./sky.js";
import { UPWARD, camera, controls, renderer, stage, world } from "./stage.js";
import { span, state } from "./state.js";

let drawn = 0;

export const pictures = () => drawn;

export function draw() {
  const { run, time, follow } = state;
  state.due = false; drawn++;
  const bend = Math.pow(10, Number(at("bend").value));
  at("bend-value").textContent = bend < 10 ? bend.toFixed(1) : bend.toFixed(0);
  const [lo, share] = run.pose(time, bend);
  colorLines(lo, share);
  const chosen = at("camera").value;
  const [w, x, y, z] = run.attitude ? run.attitude.at(lo, share) : [1, 0, 0, 0], q_NS = new THREE.Quaternion(x, y, z, w).normalize();
  if (chosen === "inertial") world.quaternion.copy(UPWARD).multiply(q_NS).multiply(UPWARD.clone().invert()); else world.quaternion.identity();
  world.updateMatrixWorld(true);
  if (follow) {
    const here = follow.getWorldPosition(new THREE.Vector3()), moved = here.clone().sub(state.stood);
    camera.position.add(moved); controls.target.add(moved); state.stood = here;
  }
  for (const name in arrows) point(arrows[name], run.arrows[name], lo, share);
  const far = chosen === "orbit" && run.orbit;
  camera.near = 0.01 * camera.position.distanceTo(controls.target); camera.updateProjectionMatrix();
  camera.updateMatrixWorld();
  light(lo, share, q_NS);
  placeLabels(labels);
  renderer.render(far ? farStage() : stage, camera);
  bearings(far);
  at("clock").textContent = `${time.toFixed(span() < 10 ? 3 : 1)} s`;
  plot(lo, share);
  dispatchEvent(new Event("drawn"));  // a report around the view follows its time
}
