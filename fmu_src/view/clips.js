// Recorded runs: animations of the glTF file, and numbers over time beside them.
import { draw } from "./draw.js";
import { showTrails } from "./marks.js";
import { Track, at, data, floats } from "./page.js";
import { markEvents } from "./plot.js";
import { drawOrbit } from "./sky.js";
import { world } from "./stage.js";
import { span, start, state } from "./state.js";

let mixer, morphs = [];

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
  clip.pose = pose;
}

/** Everything where it is at a time of the run; the frame before it, and how far it is on the way to the next. */
function pose(time, bend) {
  const { run } = state;
  let lo = 0, hi = run.time.length - 1;
  while (lo < hi - 1) { const mid = (lo + hi) >> 1; if (run.time[mid] <= time) lo = mid; else hi = mid; }
  const share = hi > lo ? Math.min(Math.max((time - run.time[lo]) / (run.time[hi] - run.time[lo]), 0), 1) : 0;
  mixer.setTime(Math.min(time, start() + span() * (1 - 1e-7)));  // an action that has ended can't be moved back
  for (const { mesh, read, liquid } of morphs) read.evaluate(time).forEach((w, i) => { mesh.morphTargetInfluences[i] = (liquid ? 1 : bend) * w; });
  at("scrub").value = (time - start()) / span();
  return [lo, share];
}

/** Shows one of the runs, from its start. */
export function choose(i) {
  const run = state.run = data.clips[i];
  mixer = new THREE.AnimationMixer(world);
  const action = mixer.clipAction(run.animation);
  action.setLoop(THREE.LoopOnce); action.clampWhenFinished = true; action.play();
  morphs = run.morphs.map(({ node, read }) => ({ mesh: world.getObjectByName(node), read })).filter(({ mesh }) => mesh)
    .map((each) => ({ ...each, liquid: (each.mesh.userData.name ?? "").startsWith("liquid ") }));
  const wanted = data.swings ? 1 : span() / 20, speeds = [...at("speed").options].map((o) => Number(o.value));
  at("speed").value = speeds.reduce((best, s) => Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best);
  state.time = start();
  markEvents();
  showTrails();
  drawOrbit();
  draw();
}
