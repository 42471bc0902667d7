// The panel of parameters and start values: what is tunable changes at once, the rest with a restart.
import { at, data } from "../view/page.js";
import { breakable, grouped, make, numberField } from "./elements.js";

const values = new Map();  // by value reference
const shows = new Map();  // what shows a value, by value reference
const named = (data.picture?.bodies ?? []).map(({ name }) => name.split("."));
const drawn = new Set(named.every((parts) => parts.length > 1) ? named.map(([unit]) => unit) : []);  // units of a system that are seen; wheel.x is a body's own name

/** [reference, value] of all that differs from the description. */
export const changed = () => [...data.parameters, ...data.starts].filter(({ reference, start }) => values.get(reference) !== start).map(({ reference }) => [reference, values.get(reference)]);

/** Values as a state that was restored has them, in the order of the parameters. */
export function showParameters(found) {
  data.parameters.forEach(({ reference }, i) => { values.set(reference, found[i]); shows.get(reference)(found[i]); });
  waiting();
}

/** Back to the description. */
export function original() {
  for (const { reference, start } of [...data.parameters, ...data.starts]) { values.set(reference, start); shows.get(reference)(start); }
  waiting();
}

/** tune(entry, value): a tunable parameter has changed; answers whether the model took it. */
export function fillParameters(tune) {
  for (const entry of [...data.parameters, ...data.starts]) values.set(entry.reference, entry.start);
  const part = ([group]) => (!drawn.size || drawn.has(group) || group === "solver" ? 1 : 0);  // controllers before what they control
  for (const [place, entries] of [["parameter-rows", data.parameters], ["start-rows", data.starts]]) {
    for (const [group, own] of grouped(entries).sort((a, b) => part(a) - part(b))) {
      const open = place === "parameter-rows" && part([group]) === 0 && own.some(({ tunable }) => tunable);
      const ordered = [...own].sort((a, b) => b.tunable - a.tunable);
      at(place).append(make("details", { open }, make("summary", {}, `${group || "others"} (${own.length})`), ...ordered.map((entry) => row(entry, tune))));
    }
    at(place).parentElement.hidden = !entries.length;
    if (at(place).querySelector("details[open]")) at(place).parentElement.open = true;
  }
  if (!at("parameter-fold").open) at("panel").append(at("parameters"));  // gains before inputs, inputs before the rest
  at("parameter-filter").oninput = () => {
    const wanted = at("parameter-filter").value.toLowerCase();
    for (const each of document.querySelectorAll("#parameters .row")) each.hidden = !each.dataset.name.includes(wanted);
    for (const each of document.querySelectorAll("#parameters details details")) { each.hidden = ![...each.querySelectorAll(".row")].some(({ hidden }) => !hidden); if (wanted) each.open = true; }
  };
}

function waiting() {
  const fixed = [...data.parameters, ...data.starts].filter(({ reference, start, tunable }) => !tunable && values.get(reference) !== start).length;
  at("waiting").textContent = fixed ? `${fixed} changed value${fixed > 1 ? "s" : ""} that count${fixed > 1 ? "" : "s"} from the next restart on` : "";
}

function row(entry, tune) {
  const { name, unit, text, reference, tunable } = entry, label = unit ? `${name} [${unit}]` : name;
  const set = async (value) => {
    const before = values.get(reference);
    values.set(reference, value); show(value); waiting();
    if (tunable && !await tune(entry, value)) { values.set(reference, before); show(before); waiting(); }
  };
  const [parts, show] = controls(entry, label, set);
  shows.set(reference, show);
  const own = make("div", { className: tunable ? "row tunable" : "row", role: "group", title: text, "aria-label": `${label}: ${text}` }, make("span", { className: "name" }, ...breakable(label)), ...parts);
  own.dataset.name = name.toLowerCase();
  return own;
}

/** Elements of a value, and what shows another one in them. */
function controls({ kind, items, start, tunable, min, max }, label, set) {
  if (kind === "boolean") {
    const box = make("input", { type: "checkbox", checked: start !== 0, "aria-label": label, onchange: () => set(box.checked ? 1 : 0) });
    return [[box], (value) => { box.checked = value !== 0; }];
  }
  if (items) {
    const list = make("select", { "aria-label": label, onchange: () => set(Number(list.value)) }, ...items.map((item, i) => new Option(item, i + 1)));
    list.value = start;
    return [[list], (value) => { list.value = value; }];
  }
  const field = numberField(`${label}, number`, start, (value) => set(kind === "integer" ? Math.round(value) : value));
  if (!tunable || !start) return [[field], (value) => { field.value = String(value); }];
  const low = Math.max(min ?? -Infinity, Math.min(0, 2 * start)), high = Math.min(max ?? Infinity, Math.max(0, 3 * start));
  const hand = make("input", { type: "range", min: low, max: high, step: "any", value: start, "aria-label": label });
  hand.oninput = () => set(Number(Number(hand.value).toPrecision(4)));
  return [[hand, field], (value) => { hand.value = value; field.value = String(value); }];
}
