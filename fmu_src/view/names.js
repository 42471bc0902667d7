// Names of bodies, and dots for those that are too far away to be seen.
"use strict";

let shown = [];  // names, with where they are and half their width, all in their height

function sprite(draw, width, height, size) {
  const canvas = document.createElement("canvas");
  canvas.width = width; canvas.height = height;
  draw(canvas.getContext("2d"));
  const material = new THREE.SpriteMaterial({ map: new THREE.CanvasTexture(canvas), sizeAttenuation: false, depthTest: false });
  const out = new THREE.Sprite(material);
  out.scale.set(size * width / height, size, 1);
  return out;
}
const dot = (size) => sprite((g) => { g.fillStyle = "#ff9a3d"; g.beginPath(); g.arc(16, 16, 12, 0, 7); g.fill(); }, 32, 32, size);
const LETTERS = 0.03;  // height of a name, as a share of what a camera of 90 degrees sees
function text(words) {
  let wide;
  const out = sprite((g) => {
    g.font = "40px system-ui, sans-serif"; g.textAlign = "center"; g.fillStyle = "#ffffff";
    g.strokeStyle = "#070d16"; g.lineWidth = 7; g.lineJoin = "round"; g.strokeText(words, 384, 46); g.fillText(words, 384, 46);
    wide = g.measureText(words).width / 64;
  }, 768, 64, LETTERS);
  Object.assign(out.userData, { words, wide });  // in heights of it
  return out;
}

/** Names beside what is smaller than they are, and none over another: the nearest stays, the others move up, or are left out. */
function placeLabels() {
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
    const free = [small ? 1 : 0, 1, 2, -1, 3, -2].find((up) => taken.every((other) => Math.abs(other.x - x) > other.half + half || Math.abs(other.y - y - up) > 0.8));
    label.material.opacity = free === undefined ? 0 : 1;
    if (free === undefined) continue;
    label.center.set(0.5, 0.5 - free);
    taken.push({ name: label.userData.words, x, y: y + free, half });
  }
  shown = taken;
}
