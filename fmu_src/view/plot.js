// Plots that run along: some variables, one above the other, each with its components and their values now; events, marked in them and on the time bar.
import { round, short } from "./numbers.js";
import { at, data } from "./page.js";
import { seek, span, start, state } from "./state.js";

const INK = ["#5ec8ff", "#ffcf80", "#9dff7a", "#ff7ad9", "#c9b6ff", "#ff8f70"];
const MOST_PLOTS = 4, EDGE = { left: 52, right: 18, top: 20, bottom: 6, time: 16 };
let plots = [];

export const plotted = () => plots.map(({ name }) => name);

/** One more plot below the others; the first one goes where there are too many. */
export function addPlot(name) {
  if (plots.some((each) => each.name === name)) return;
  if (plots.length === MOST_PLOTS) removePlot(plots[0]);
  const box = document.createElement("div"), canvas = document.createElement("canvas"), close = document.createElement("button");
  const own = { name, box, canvas, curves: document.createElement("canvas") };
  Object.assign(close, { textContent: "×", title: `no plot of ${name}`, onclick: () => removePlot(own) });
  canvas.onclick = (event) => seek(start() + span() * (event.offsetX - EDGE.left) / (canvas.clientWidth - EDGE.left - EDGE.right));
  canvas.setAttribute("role", "img"); canvas.setAttribute("aria-label", `plot of ${name} over time`);
  box.append(canvas, close);
  at("plots").append(box);
  plots.push(own);
  lastHasTime();
}

function removePlot(own) {
  own.box.remove();
  plots = plots.filter((each) => each !== own);
  lastHasTime();
}

/** The lowest one is higher by its axis. */
function lastHasTime() {
  plots.forEach((each, i) => { each.box.className = i === plots.length - 1 ? "plot last" : "plot"; each.drawn = null; });
}

/** Events of the run, [time, until, words], on the time bar; a slider's knob, 16 pixels wide, stops half of that before its ends. */
export function markEvents() {
  at("marks").replaceChildren(...state.run.events.map(([time, until, words]) => {
    const share = (0.5 * (time + until) - start()) / span(), sign = document.createElement("i");
    sign.style.left = `calc(8px + ${share} * (100% - 16px))`;
    sign.title = `${words}, ${time === until ? "at" : "after"} ${time} s`;
    return sign;
  }));
}

export function plot(frame, share) {
  const { run, time } = state;
  if (!run.values) return;
  const now = run.values.at(frame, share);
  for (const own of plots) {
    const { canvas, curves, name } = own, wide = canvas.clientWidth, high = canvas.clientHeight, sharp = devicePixelRatio;
    if (!(wide && high)) continue;  // out of sight
    const { columns, unit } = data.variables[name], foot = high - EDGE.bottom - (own.box.className === "plot" ? 0 : EDGE.time);
    const key = [wide, high, sharp, data.clips.indexOf(run), run.time[0], run.time.length, run.time.at(-1)].join();  // a live run grows
    if (own.drawn !== key) { own.drawn = key; drawCurves(own, columns, wide, high, foot, sharp); }
    const g = canvas.getContext("2d"), x = EDGE.left + (wide - EDGE.left - EDGE.right) * (time - start()) / span();
    g.clearRect(0, 0, wide, high);
    g.setTransform(1, 0, 0, 1, 0, 0); g.drawImage(curves, 0, 0); g.setTransform(sharp, 0, 0, sharp, 0, 0);
    g.font = "11px system-ui, sans-serif"; g.fillStyle = "#dde5ee";
    const title = name + (unit && unit !== "1" ? ` [${unit}]` : "");
    g.fillText(title, 6, 13);
    const marks = columns.map((_, k) => (columns.length > 1 ? `[${k + 1}]` : "")), wordy = marks.map((mark, k) => `${mark} ${short(now[columns[k]], own.range)}`);
    const long = (words) => words.reduce((sum, word) => sum + g.measureText(word).width + 8, 0), room = wide - 34 - g.measureText(title).width;
    const legend = [wordy, marks].find((words) => long(words) < room) ?? [];  // components with their values, if there is room
    let left = wide - 20 - long(legend);
    legend.forEach((word, k) => { g.fillStyle = INK[k % INK.length]; g.fillText(word, left, 13); left += g.measureText(word).width + 8; });
    g.strokeStyle = "#ffffff"; g.beginPath(); g.moveTo(x, EDGE.top); g.lineTo(x, foot); g.stroke();
    columns.forEach((c, k) => { g.fillStyle = INK[k % INK.length]; g.beginPath(); g.arc(x, own.y(now[c]), 2.5, 0, 7); g.fill(); });
  }
}

/** What stays as time goes: curves, their bounds, the axis of time. */
function drawCurves(own, columns, wide, high, foot, sharp) {
  for (const canvas of [own.canvas, own.curves]) { canvas.width = wide * sharp; canvas.height = high * sharp; }
  const { run } = state, g = own.curves.getContext("2d"), n = run.time.length, { values, width } = run.values;
  g.setTransform(sharp, 0, 0, sharp, 0, 0);
  let low = Infinity, top = -Infinity;
  for (let i = 0; i < n; i++) for (const c of columns) { const v = values[i * width + c]; if (v < low) low = v; if (v > top) top = v; }
  if (top < low) low = top = 0;  // no number at all
  if (!(top - low > 1e-12 * Math.max(1, Math.abs(top)))) { low -= 1; top += 1; }
  const x = (t) => EDGE.left + (wide - EDGE.left - EDGE.right) * (t - start()) / span();
  own.range = top - low;
  own.y = (v) => foot - 3 - (foot - EDGE.top - 6) * (v - low) / (top - low);
  g.font = "10px system-ui, sans-serif"; g.lineWidth = 1;
  const apart = round(span() / 3);
  for (let t = Math.ceil(start() / apart - 1e-9) * apart; t <= start() + span() * (1 + 1e-9); t += apart) {
    g.strokeStyle = "#ffffff1c"; g.beginPath(); g.moveTo(x(t), EDGE.top); g.lineTo(x(t), foot); g.stroke();
    g.fillStyle = "#93a4b5"; g.textAlign = "center";
    if (own.box.className !== "plot") g.fillText(short(t, span()) + (t + apart > start() + span() * (1 + 1e-9) ? " s" : ""), x(t), high - 5);
  }
  g.strokeStyle = "#ffcf80"; g.beginPath();
  for (const [time] of run.events) { g.moveTo(x(time), foot); g.lineTo(x(time), foot + 5); }
  g.stroke();
  g.textAlign = "right"; g.fillStyle = "#93a4b5";
  g.fillText(short(top, top - low), EDGE.left - 4, EDGE.top + 8); g.fillText(short(low, top - low), EDGE.left - 4, foot);
  g.strokeStyle = "#ffffff33";
  if (low < 0 && top > 0) { g.beginPath(); g.moveTo(EDGE.left, own.y(0)); g.lineTo(wide - EDGE.right, own.y(0)); g.stroke(); }
  g.lineWidth = 1.4;
  columns.forEach((c, k) => {
    g.strokeStyle = INK[k % INK.length]; g.beginPath();
    for (let i = 0, pen = "moveTo"; i < n; i++) {  // a gap stays one
      const v = values[i * width + c];
      if (isNaN(v)) pen = "moveTo"; else { g[pen](x(run.time[i]), own.y(v)); pen = "lineTo"; }
    }
    g.stroke();
  });
}
