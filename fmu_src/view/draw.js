// One picture: everything where it is at the time of the run.
import { bearings } from "./bearings.js";
import { arrows, colorLines, labels, point, showTrails } from "./marks.js";
import { placeLabels } from "./names.js";
import { Track, at, data, floats } from "./page.js";
import { markEvents, plot } from "./plot.js";
import { drawOrbit, farStage, light } from "./sky.js";
import { UPWARD, camera, controls, renderer, stage, world } from "./stage.js";
import { span, start, state } from "./state.js";

let mixer, morphs = [], drawn = 0;

export const pictures = () => drawn;
export const influences = () => morphs.filter(({ mesh }) => mesh.isMesh).map(({ mesh }) => [...mesh.morphTargetInfluences]);

/** Numbers of a run; morph targets are taken out of its animation, because they are magnified here. */
export function prepare(clip) {
  clip.time = floats(clip.time);
  const widths = { tension: data.lines.length, taut: data.lines.length, attitude: 4, planet: 3, orbit: 3, values: data.columns };
  for (const key in widths) clip[key] = clip[key] && widths[key] ? new Track(clip[key], widths[key]) : null;
  for (const name in clip.arrows) clip.arrows[name] = new Track(clip.arrows[name], 3);
  const tracks = clip.animation.tracks;
  clip.morphs = tracks.filter((t) => t.name.endsWith(".morphTargetInfluences"))
    .map((t) => ({ node: t.name.split(".")[0], read: t.createInterpolant(new Float32Array(t.getValueSize())) }));
  clip.animation.tracks = tracks.filter((t) => !t.name.endsWith(".morphTargetInfluences"));
}

/** Shows one of the runs, from its start. */
export function choose(i) {
  const run = state.run = data.clips[i];
  mixer = new THREE.AnimationMixer(world);
  const action = mixer.clipAction(run.animation);
  action.setLoop(THREE.LoopOnce); action.clampWhenFinished = true; action.play();
  morphs = run.morphs.map(({ node, read }) => ({ mesh: world.getObjectByName(node), read })).filter(({ mesh }) => mesh);
  const wanted = data.swings ? 1 : span() / 20, speeds = [...at("speed").options].map((o) => Number(o.value));
  at("speed").value = speeds.reduce((best, s) => Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best);
  state.time = start();
  markEvents();
  showTrails();
  drawOrbit();
  draw();
}

export function draw() {
  const { run, time, follow } = state;
  state.due = false; drawn++;
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
  at("scrub").value = (time - start()) / span();
  at("clock").textContent = `${time.toFixed(span() < 10 ? 3 : 1)} s`;
  plot(lo, share);
  dispatchEvent(new Event("drawn"));  // a report around the view follows its time
}
