// A page that simulates: the worker runs the model, this script draws its results and sends the user's actions.
import { draw, pictures } from "../view/draw.js";
import { fillLooks, options } from "../view/looks.js";
import { at, bytes, data } from "../view/page.js";
import { plotted } from "../view/plot.js";
import { loadScene } from "../view/scene.js";
import { drawOrbit, makeSky } from "../view/sky.js";
import { bodies, camera, controls, renderer, world } from "../view/stage.js";
import { state } from "../view/state.js";
import { add, clear, spacing } from "./history.js";
import { fillInputs } from "./inputs.js";
import { listen } from "./keys.js";
import { changed, fillParameters, original, showParameters } from "./parameters.js";
import { Now, findNodes, place, present } from "./placed.js";

const BUDGET = 14;  // [ms] of simulation for a frame of the screen
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const STRETCHES = [0.05, 0.2, 0.5, 1, 3];  // of the default experiment: what plots show
const NO_WEBGL = "this browser has no WebGL: there are plots, and no view";
const WAY = 6000;  // numbers of the way that is seen from far
const { experiment } = data;

const run = {
  time: new Float32Array(1), values: { values: new Float32Array(data.columns), width: data.columns, at: () => latest.row }, events: [], most: 1e-12,
  tension: new Now([]), taut: new Now([]), attitude: new Now([1, 0, 0, 0]), planet: data.planet ? new Now([0, 0, 0]) : null, orbit: data.planet ? new Now([0, 0, 0]) : null,
  box: present, craft: { getWorldPosition: whole }, arrows: Object.fromEntries(Object.keys(data.clips[0].arrows).map((name) => [name, new Now([0, 0, 0])])), trails: {}, guided: [], whole: new Float32Array(0),
  pose(time, bend) {
    if (latest.numbers) { place(run, latest, time - drawnAt, bend); way(); }
    drawnAt = time;
    return [0, 0];
  },
};
data.clips = [run];
state.run = run;

// The worker: answers come in the order of the questions.
const worker = new Worker(URL.createObjectURL(new Blob([at("worker").textContent], { type: "text/javascript" })));
const asked = new Map();
let number = 0, latest = { row: new Float64Array(data.columns), numbers: null, time: 0 }, drawnAt = 0, last = null, waiting = false, track = [], failed = "", framed = 0;
worker.onmessage = ({ data: answer }) => { asked.get(answer.number)(answer); asked.delete(answer.number); };
worker.onerror = (error) => say(`the simulation ended: ${error.message}`);

/** Asks the worker, and shows what it answers. */
async function ask(does, message = {}) {
  const answer = await new Promise((done) => { number++; asked.set(number, done); worker.postMessage({ does, number, ...message }); });
  if (answer.refused) { say(answer.refused); setPlaying(false); failed = answer.fatal ? answer.refused : ""; }
  if (answer.row) show(answer);
  if (answer.parameters) showParameters(answer.parameters);
  return answer;
}

const stretch = () => Number(at("stretch").value);
const say = (words) => { if (at("said").textContent !== words) at("said").textContent = words; };

function show(answer) {
  if (answer.back) { clear(run); at("event").textContent = ""; track = []; drawnAt = answer.time; }
  latest = answer;
  state.time = answer.time;
  for (const { status, category, text } of answer.said) {
    const event = category === "logEvents" && /^time=(\S+) variable=(\S+) value=(\S+)$/.exec(text);
    if (event) { run.events.push([Number(event[1]), Number(event[1]), ""]); at("event").textContent = `${event[2]} = ${event[3]} at ${Number(event[1]).toPrecision(6)} s`; } else if (status) say(text);
  }
  add(run, answer.rows.length || run.values.values.length > data.columns ? answer.rows : [{ time: answer.time, row: answer.row }], stretch());
  at("slow").hidden = !answer.behind;
  state.due = true;
}

/** The way so far, as it is seen from far. */
function way() {
  if (!run.orbit) return;
  track.push(...run.orbit.at());
  if (track.length > WAY) track = track.filter((_, i) => Math.floor(i / 3) % 2 === 0);
  if (at("camera").value !== "orbit") return;
  run.orbit.values = new Float32Array(track);
  drawOrbit();
}

function setPlaying(now) {
  state.playing = now && !failed;
  at("play").textContent = state.playing ? "❚❚" : "▶";
  at("play").setAttribute("aria-label", state.playing ? "pause" : "run");
  last = null;
}

async function restart() {
  failed = "";
  const step = Number(at("step-length").value);
  if (!(step > 0)) { say(`the communication step is ${at("step-length").value} s, expected a positive number`); return; }
  say(live.webgl || !data.picture ? "" : NO_WEBGL);
  await ask("restart", { values: changed(), step });
}

async function single() { if (failed) { say(failed); return; } setPlaying(false); await ask("step"); }

async function save() {
  const { kept: own, time } = await ask("save");
  if (own === undefined) return;
  at("states").add(new Option(`back to ${time.toPrecision(6)} s`, own));
  at("states").disabled = false;
  say(`state ${own} saved at ${time.toPrecision(6)} s`);
}

async function restore() {
  const chosen = Number(at("states").value);
  at("states").selectedIndex = 0;
  if (chosen) { failed = ""; const { time } = await ask("restore", { state: chosen }); if (time !== undefined) say(`back at ${time.toPrecision(6)} s`); }
}

async function download() {
  const { text, every } = await ask("csv"), link = document.createElement("a");
  if (every > 1) say(`the run is long: the file has one of ${every} communication points`);
  link.download = `${data.title.replace(/[^\w.-]+/g, "_")}.csv`;
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);  // some browsers read it later
}

/** All of the craft as it is now, which the camera then follows. */
function home() {
  if (!data.picture) return;
  at("camera").value = "craft";
  framed = 0;
  at("camera").onchange();
}

/** The middle of the craft; a camera that follows it stands back as the craft grows. */
function whole(middle) {
  const box = present(), size = box.getSize(new THREE.Vector3()).length();
  if (framed && size > framed) camera.position.sub(controls.target).multiplyScalar(size / framed).add(controls.target);
  framed = Math.max(framed, size);
  return box.getCenter(middle);
}

function fillControls() {
  const wanted = experiment.stop / 20;
  options(at("speed"), [...SPEEDS.map((s) => [s, `× ${s}`]), ["Infinity", "as fast as it goes"]]);
  at("speed").value = SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best));
  options(at("stretch"), STRETCHES.map((share) => [share * experiment.stop, `${Number((share * experiment.stop).toPrecision(3))} s`]));
  at("stretch").selectedIndex = 2;
  at("step-length").value = experiment.step;
  at("play").onclick = () => setPlaying(!state.playing);
  at("single").onclick = single;
  at("restart").onclick = restart;
  at("keep").onclick = save;
  at("states").onchange = restore;
  at("csv").onclick = download;
  at("original").onclick = async () => { original(); at("step-length").value = experiment.step; await restart(); };
  listen({ " ": () => setPlaying(!state.playing), ".": single, s: save, r: home, Home: restart });
}

/** A frame of the screen: what the model did meanwhile is drawn, and it is asked for more. */
async function frame(now) {
  requestAnimationFrame(frame);
  if (state.playing && !waiting) {
    const by = Number(at("speed").value) * (last === null ? 1 / 60 : Math.min((now - last) / 1000, 0.1));
    last = now;
    waiting = true;
    ask("advance", { by, milliseconds: BUDGET, spacing: spacing(stretch()) }).finally(() => { waiting = false; });
  }
  controls.update();
  if (state.due) draw();  // at rest nothing is drawn: a page that is left open costs nothing
}

// For tests and scripts that control the page.
const live = window.live = {
  ready: false, ask, run, data, home, restart,
  play: setPlaying,
  get time() { return state.time; },
  get playing() { return state.playing; },
  get row() { return [...latest.row]; },
  get pictures() { return pictures(); },
  plots: plotted,
  webgl: renderer instanceof THREE.WebGLRenderer,
  triangles: () => renderer.info.render.triangles,
  place: (name) => bodies[name].getWorldPosition(new THREE.Vector3()).toArray(),
  away: () => camera.position.clone().sub(controls.target).toArray(),
};

async function begin() {
  document.body.classList.toggle("plain", !live.webgl || !data.picture);
  fillControls();
  fillLooks(home);
  fillParameters(async ({ reference }, value) => !(await ask("tune", { reference, value })).refused);
  const { refused } = await ask("open", { bytes: bytes(at("module").textContent), data: { ...data, glb: "", clips: [] } });
  if (refused) return;
  fillInputs((input, source) => ask("follow", { input, source }));  // a table is followed from the start on
  draw();
  if (data.picture) home();
  if (!live.webgl && data.picture) say(NO_WEBGL);
  live.ready = true;
  live.started = performance.now();
  setPlaying(true);
  requestAnimationFrame(frame);
}

if (data.picture) loadScene(() => { findNodes(); begin(); });
else { makeSky(world); begin(); }
