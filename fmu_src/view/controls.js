// The user's choice of recorded runs.
import { choose } from "./clips.js";
import { fillLooks, home, options } from "./looks.js";
import { at, data } from "./page.js";
import { seek, span, start, state } from "./state.js";

const STEP = 0.01, LEAP = 0.1;  // of the run: an arrow key, and one with shift

export function fill() {
  fillLooks(home);
  options(at("clip"), data.clips.map((clip, i) => [i, clip.name]));
  at("clip-label").hidden = data.clips.length < 2;
  options(at("speed"), [0.1, 0.25, 0.5, 1, 2, 5, 10, 50, 200, 1000].map((s) => [s, "× " + s]));
  at("loop").checked = data.swings;
  at("clip").onchange = () => choose(Number(at("clip").value));
  at("play").onclick = () => setPlaying(!state.playing);
  at("scrub").oninput = () => seek(start() + Number(at("scrub").value) * span());
  addEventListener("keydown", press);
}

const KEYS = {
  " ": () => setPlaying(!state.playing),
  ArrowLeft: (leap) => seek(state.time - leap),
  ArrowRight: (leap) => seek(state.time + leap),
  Home: () => seek(start()),
  End: () => seek(start() + span()),
  r: () => home(),
};

function press(event) {
  const own = event.target.tagName === "SELECT" || (event.target.tagName === "BUTTON" && event.key === " ");  // keys have a meaning there
  if (own || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]((event.shiftKey ? LEAP : STEP) * span());
}

export function setPlaying(now) {
  state.playing = now;
  at("play").textContent = now ? "❚❚" : "▶";
  if (now && state.time >= start() + span() * (1 - 1e-9)) state.time = start();
}
