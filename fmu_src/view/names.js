// Names of bodies, and dots for those that are too far away to be seen.
import { camera } from "./stage.js";

let shown = [];  // names in the picture, with where they are and half their width, all in their height

export const names = () => shown;

function sprite(texture, size) {
  const { width, height } = texture.image;
  const out = new THREE.Sprite(new THREE.SpriteMaterial({ map: texture, sizeAttenuation: false, depthTest: false }));
  out.scale.set(size * width / height, size, 1);
  return out;
}

function painted(width, height, draw) {
  const canvas = document.createElement("canvas");
  canvas.width = width; canvas.height = height;
  draw(canvas.getContext("2d"));
  const out = new THREE.CanvasTexture(canvas);
  out.minFilter = THREE.LinearFilter;  // of any width
  return out;
}

const DISC = painted(32, 32, (g) => { g.fillStyle = "#ff9a3d"; g.beginPath(); g.arc(16, 16, 12, 0, 7); g.fill(); });
export const dot = (size) => sprite(DISC, size);
const LETTERS = 0.03;  // height of a name, as a share of what a camera of 90 degrees sees
const CROWD = 40;  // names; of more than these none moves out of another's way
const FONT = "40px system-ui, sans-serif", MEASURE = document.createElement("canvas").getContext("2d");
export function text(words) {
  MEASURE.font = FONT;
  const wide = MEASURE.measureText(words).width;
  const out = sprite(painted(Math.ceil(wide) + 16, 64, (g) => {
    g.font = FONT; g.textAlign = "center"; g.fillStyle = "#ffffff";
    g.strokeStyle = "#070d16"; g.lineWidth = 7; g.lineJoin = "round"; g.strokeText(words, wide / 2 + 8, 46); g.fillText(words, wide / 2 + 8, 46);
  }), LETTERS);
  Object.assign(out.userData, { words, wide: wide / 64 });  // in heights of it
  return out;
}

/** Names beside what is smaller than they are, and none over another: the nearest stays, the others move up, or are left out. */
export function placeLabels(labels) {
  const high = LETTERS / Math.tan(camera.fov / 2 * Math.PI / 180), taken = [];  // of a name, where the picture is 2 high
  const where = new THREE.Vector3();
  const seen = labels.map((label) => {
    label.getWorldPosition(where);
    const far = where.distanceTo(camera.position), size = 2 * label.userData.radius / far, small = size < 2 * LETTERS;
    label.userData.dot.visible = size < 0.2 * LETTERS;
    where.project(camera);
    return { label, far, small, x: where.x * camera.aspect / high, y: where.y / high };
  }).sort((a, b) => a.far - b.far);
  for (const { label, small, x, y } of seen) {
    const half = label.userData.wide / 2;
    const free = (labels.length > CROWD ? [1] : [small ? 1 : 0, 1, 2, -1, 3, -2]).find((up) => taken.every((other) => Math.abs(other.x - x) > other.half + half || Math.abs(other.y - y - up) > 0.8));
    label.material.visible = free !== undefined;
    if (free === undefined) continue;
    label.center.set(0.5, 0.5 - free);
    taken.push({ name: label.userData.words, x, y: y + free, half });
  }
  shown = taken;
}
