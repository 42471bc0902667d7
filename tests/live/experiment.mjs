// Runs the default experiment of a model in WebAssembly under node: node experiment.mjs MODEL.JS MODULE TABLE OUT.
// TABLE: JSON with tolerance, step, steps, references. OUT: a row of doubles per communication point.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [script, module, table, out] = process.argv.slice(2);
const { Model } = await import(pathToFileURL(script));
const { tolerance, step, steps, references } = JSON.parse(readFileSync(table, "utf8"));
const model = await Model.of(readFileSync(module), tolerance);
model.start([], step);
const group = model.group(references), rows = new Float64Array((steps + 1) * references.length);
const began = performance.now();
let saved = null;
for (let i = 0; i <= steps; i++) {
  if (i === Math.floor(steps / 2)) saved = model.save();
  rows.set(model.get(group), i * references.length);
  if (i < steps) model.step();
}
const seconds = (performance.now() - began) / 1000;
// From the saved state once more: the same numbers.
const before = rows.slice();
model.restore(saved);
for (let i = saved.steps; i <= steps; i++) {
  rows.set(model.get(group), i * references.length);
  if (i < steps) model.step();
}
const same = Buffer.compare(Buffer.from(before.buffer), Buffer.from(rows.buffer)) === 0;
writeFileSync(out, Buffer.from(before.buffer));
console.log(JSON.stringify({ seconds, same, said: model.heard().filter(({ status }) => status).map(({ text }) => text) }));
