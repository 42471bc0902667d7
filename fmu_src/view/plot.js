// The plot that runs along.
"use strict";

const short = (v) => (v === 0 || (Math.abs(v) >= 1e-3 && Math.abs(v) < 1e5) ? String(Number(v.toPrecision(3))) : v.toExponential(1));
const INK = ["#5ec8ff", "#ffcf80", "#9dff7a", "#ff7ad9", "#c9b6ff", "#ff8f70"];

function plot(now) {
  const canvas = at("plot"), name = at("variable").value;
  canvas.hidden = !name;
  if (!name) return;
  const wide = canvas.clientWidth, high = canvas.clientHeight, sharp = devicePixelRatio;
  if (canvas.width !== wide * sharp) { canvas.width = wide * sharp; canvas.height = high * sharp; }
  const g = canvas.getContext("2d"), { columns, unit } = data.variables[name], n = run.time.length, m = run.values.length / n;
  g.setTransform(sharp, 0, 0, sharp, 0, 0);
  g.clearRect(0, 0, wide, high);
  let low = Infinity, top = -Infinity;
  for (let i = 0; i < n; i++) for (const c of columns) { const v = run.values[i * m + c]; if (v < low) low = v; if (v > top) top = v; }
  if (!(top - low > 1e-12 * Math.max(1, Math.abs(top)))) { low -= 1; top += 1; }
  const x = (t) => 40 + (wide - 50) * (t - start()) / span(), y = (v) => high - 16 - (high - 40) * (v - low) / (top - low);
  g.font = "11px system-ui, sans-serif"; g.fillStyle = "#dde5ee";
  g.fillText(name + (unit && unit !== "1" ? ` [${unit}]` : ""), 40, 14);
  g.fillText(short(top), 2, 28); g.fillText(short(low), 2, high - 12);
  columns.forEach((c, k) => {
    g.strokeStyle = INK[k % INK.length]; g.beginPath();
    for (let i = 0; i < n; i++) g.lineTo(x(run.time[i]), y(run.values[i * m + c]));
    g.stroke();
  });
  g.strokeStyle = "#ffffff"; g.beginPath(); g.moveTo(x(now), 20); g.lineTo(x(now), high - 14); g.stroke();
}
