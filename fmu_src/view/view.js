// The view: a glTF file in motion. Everything that moves is an animation of the file; the numbers beside it (tension, vectors,
// variables) come as JSON. Written for three.js r140 as trimesh ships it.
import { choose, influences, prepare } from "./clips.js";
import { fill, setPlaying } from "./controls.js";
import { draw, pictures } from "./draw.js";
import { home } from "./looks.js";
import { lineMaterials, trails } from "./marks.js";
import { names } from "./names.js";
import { at, data } from "./page.js";
import { plotted } from "./plot.js";
import { loadScene } from "./scene.js";
import { sun } from "./sky.js";
import { bodies, camera, controls, renderer, resize } from "./stage.js";
import { seek, span, start, state } from "./state.js";

let last = null;  // when the screen's last frame was [ms]

// For tests and scripts that control the page.
const view = window.view = {
  ready: false,
  camera, controls, sun, home, resize,
  play: setPlaying,
  get run() { return state.run; },
  get time() { return state.time; },
  get playing() { return state.playing; },
  get pictures() { return pictures(); },
  seek(t) { seek(t); draw(); },
  place: (name) => bodies[name].getWorldPosition(new THREE.Vector3()).toArray(),
  influences,
  triangles: () => renderer.info.render.triangles,
  names,
  plots: plotted,
  lines: () => lineMaterials,
  trails: () => trails.filter(({ line }) => line.visible).length,
};

loadScene((gltf) => {
  data.clips.forEach((clip, i) => { clip.animation = gltf.animations[i]; prepare(clip); });
  fill();
  choose(0);
  home();
  view.ready = true;
  requestAnimationFrame(step);
});

/** A frame of the screen. */
function step(now) {
  if (state.playing && last !== null) {
    const next = state.time + Number(at("speed").value) * Math.min((now - last) / 1000, 0.1), ended = next >= start() + span();
    seek(ended && at("loop").checked ? start() + (next - start()) % span() : next);
    if (ended && !at("loop").checked) setPlaying(false);
    state.due ||= ended;
  }
  last = now;
  controls.update();
  if (state.playing || state.due) draw();  // at rest nothing is drawn: a page that is left open costs nothing
  requestAnimationFrame(step);
}
