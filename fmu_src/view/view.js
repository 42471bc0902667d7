// The view: a glTF file in motion. Everything that moves is an animation of the file; the numbers beside it (tension, vectors,
// variables) come as JSON. Written for three.js r140 as trimesh ships it.
import { fill, home, setPlaying } from "./controls.js";
import { choose, draw, influences, pictures, prepare } from "./draw.js";
import { decorate, lineMaterials, trails } from "./marks.js";
import { names } from "./names.js";
import { at, bytes, data } from "./page.js";
import { plotted } from "./plot.js";
import { makeSky, sun } from "./sky.js";
import { bodies, camera, controls, renderer, resize, world } from "./stage.js";
import { seek, span, start, state } from "./state.js";

let last = null;  // when the screen's last frame was [ms]

// For tests, and for whoever wants to drive the page.
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
  makeSky(gltf.scene.children[0]);
  fill();
  choose(0);
  home();
  view.ready = true;
  requestAnimationFrame(step);
}, (error) => { at("notes").textContent = "the scene can't be read: " + error; });

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
