// The panel of inputs: each has its value and its course over time; a source as sources.js reads it goes to `follow` when it changes.
import { at, data } from "../view/page.js";
import { state } from "../view/state.js";
import { breakable, grouped, make, numberField } from "./elements.js";

const COURSES = { value: "value", pulse: "pulse", sine: "sine", table: "table" };
const KEYS = 9;  // inputs whose pulse a digit starts
const pulses = [];

export function fillInputs(follow) {
  at("inputs").hidden = !data.inputs.length;
  const places = new Map(data.inputs.map((entry, i) => [entry, i]));
  for (const [group, entries] of grouped(data.inputs)) {
    const rows = entries.map((entry) => row(entry, places.get(entry), follow));
    const title = group ? `${group} (${entries.length})` : "others";
    at("input-rows").append(make("details", { open: places.get(entries[0]) < KEYS }, make("summary", {}, title), ...rows));
  }
}

/** A digit starts the pulse of an input. */
export const pulseOf = (key) => pulses[Number(key) - 1];

function row(entry, i, follow) {
  const { name, unit, text, kind, start, range } = entry, label = unit ? `${name} [${unit}]` : name;
  const source = { shape: "value", value: start, rest: start, from: 0, length: 1, period: 10 };
  const send = () => follow(i, source.shape === "table" ? table(entry) : { ...source });
  const set = (value) => { source.value = value; shown(value); send(); };
  const [parts, shown] = kind === "real" ? slider(entry, label, set) : chosen(entry, label, set);
  const length = numberField(`length of the pulse of ${name} [s]`, source.length, (value) => { source.length = value; });
  const period = numberField(`period of the sine of ${name} [s]`, source.period, (value) => { source.period = value; send(); });
  const pulse = () => {
    if (source.value === source.rest) set(kind === "real" ? range : source.rest ? 0 : 1);
    course.value = source.shape = "pulse"; source.from = state.time; fit(); send();
  };
  const key = pulses.length < KEYS ? String(pulses.push(pulse)) : "";
  const courses = Object.keys(COURSES).filter((each) => (each !== "sine" || kind === "real") && (each !== "table" || data.table?.columns[entry.reference]));
  const course = make("select", { "aria-label": `course of ${name}` }, ...courses.map((each) => new Option(COURSES[each], each)));
  const fire = make("button", { type: "button", onclick: pulse, title: key ? `a pulse now (key ${key})` : "a pulse now", "aria-label": `pulse of ${name}` }, key ? `pulse ${key}` : "pulse");
  const fit = () => { length.hidden = source.shape !== "pulse"; period.hidden = source.shape !== "sine"; };
  course.onchange = () => { source.shape = course.value; source.from = source.shape === "pulse" ? Infinity : state.time; fit(); send(); };
  fit();
  if (courses.includes("table")) { course.value = source.shape = "table"; send(); }
  return make("div", { className: "row", role: "group", title: text, "aria-label": `${label}: ${text}` }, make("span", { className: "name" }, ...breakable(label)), make("span", { className: "course" }, length, period, course, fire), ...parts);
}

const table = ({ reference, kind }) => ({ shape: "table", time: data.table.time, values: data.table.columns[reference], held: kind !== "real" });

/** A slider and a number; a number beyond the slider widens it. */
function slider({ name, start, range, min, max }, label, set) {
  const low = min ?? -range, high = max ?? range;
  const hand = make("input", { type: "range", min: low, max: high, step: "any", value: start, "aria-label": label });
  const field = numberField(`${name}, number`, start, (value) => set(value));
  hand.oninput = () => set(Number(Number(hand.value).toPrecision(4)));
  const zero = make("button", { type: "button", className: "zero", onclick: () => set(start), "aria-label": `${name} back to ${start}`, title: `back to ${start}` }, String(Number(start.toPrecision(3))));
  return [[hand, field, zero], (value) => {
    if (value > Number(hand.max)) hand.max = 2 * value;
    if (value < Number(hand.min)) hand.min = 2 * value;
    hand.value = value; field.value = String(value);
  }];
}

/** A switch, or a list of choices. */
function chosen({ kind, start, items }, label, set) {
  if (kind === "boolean") {
    const button = make("button", { type: "button", role: "switch", "aria-checked": String(start !== 0), "aria-label": label }, start ? "on" : "off");
    button.onclick = () => set(button.getAttribute("aria-checked") === "true" ? 0 : 1);
    return [[button], (value) => { button.setAttribute("aria-checked", String(value !== 0)); button.textContent = value ? "on" : "off"; }];
  }
  if (items) {
    const list = make("select", { "aria-label": label, onchange: () => set(Number(list.value)) }, ...items.map((item, i) => new Option(item, i + 1)));
    list.value = start;
    return [[list], (value) => { list.value = value; }];
  }
  const field = numberField(label, start, (value) => set(Math.round(value)));
  return [[field], (value) => { field.value = String(value); }];
}
