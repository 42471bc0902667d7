// Where the axes point and how large things are: a small triad, and a bar of a round length at the depth of what is looked at.
import { round } from "./numbers.js";
import { at, data } from "./page.js";
import { UPWARD, camera, controls, world } from "./stage.js";

const TRIAD = 26;  // length of an axis [pixels]

export function bearings(far) {
  const canvas = at("bearings"), g = canvas.getContext("2d"), sharp = devicePixelRatio, [wide, high] = [150, 84];
  if (canvas.width !== wide * sharp) { canvas.width = wide * sharp; canvas.height = high * sharp; }
  g.setTransform(sharp, 0, 0, sharp, 0, 0);
  g.clearRect(0, 0, wide, high);
  g.font = "11px system-ui, sans-serif"; g.lineWidth = 1.5;
  const turn = camera.quaternion.clone().invert().multiply(far ? UPWARD : world.quaternion.clone().multiply(UPWARD));
  for (const [name, color, v] of [["x", "#ff6b6b", [1, 0, 0]], ["y", "#7bd88f", [0, 1, 0]], ["z", "#6fa8ff", [0, 0, 1]]]) {
    const { x, y } = new THREE.Vector3(...v).applyQuaternion(turn);
    g.strokeStyle = g.fillStyle = color;
    g.beginPath(); g.moveTo(wide - 40, 40); g.lineTo(wide - 40 + TRIAD * x, 40 - TRIAD * y); g.stroke();
    g.fillText(name, wide - 43 + 1.3 * TRIAD * x, 44 - 1.3 * TRIAD * y);
  }
  const depth = camera.position.distanceTo(controls.target), pixel = 2 * depth * Math.tan(camera.fov / 2 * Math.PI / 180) / at("stage").clientHeight;
  const length = round(70 * pixel * (far ? data.planet : 1)), bar = length / pixel / (far ? data.planet : 1);
  g.strokeStyle = g.fillStyle = "#c3cfdb"; g.beginPath();
  g.moveTo(wide - 8 - bar, 74); g.lineTo(wide - 8 - bar, 80); g.lineTo(wide - 8, 80); g.lineTo(wide - 8, 74); g.stroke();
  const words = length >= 1000 ? `${length / 1000} km` : length >= 0.01 ? `${Number(length.toPrecision(1))} m` : `${Number((1000 * length).toPrecision(1))} mm`;
  g.textAlign = "center"; g.fillText(words, wide - 8 - bar / 2, 74); g.textAlign = "left";
}
