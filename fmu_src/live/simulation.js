// A model that runs: inputs, communication steps, what is shown of it, saved states. No page is needed: tests run it under node.
import { Model } from "./model.js";
import { Recording } from "./record.js";
import { valueOf } from "./sources.js";

const MOST_ROWS = 64;  // for plots, of one frame
const MOST_SAID = 50;

export class Simulation {
  /** data: of fmu_src/live/data.py. */
  static async of(bytes, data) {
    const own = new Simulation(), { experiment, recorded, inputs, parameters, picture } = data;
    own.model = await Model.of(bytes, experiment.tolerance);
    const group = (entries) => own.model.group(entries.map(({ reference }) => reference));
    Object.assign(own, { data, recording: new Recording(recorded.map(({ name }) => name)), columns: group(recorded), inputs: group(inputs), parameters: group(parameters), saved: new Map(), number: 0, said: [] });
    own.sources = inputs.map(({ start }) => ({ shape: "value", value: start }));
    if (picture) {
      own.coordinates = own.model.group(picture.references);
      own.places = own.model.room(picture.starts.length);
      own.length = Object.values(picture.parts).reduce((sum, each) => sum + each, 0);
      own.numbers = own.model.room(own.length);
    }
    own.restart([], experiment.step);
    return own;
  }

  /** From time 0 again; values: [reference, value] of parameters and start values. */
  restart(values, step) {
    const given = this.data.inputs.map(({ reference }, i) => [reference, valueOf(this.sources[i], 0, step)]);
    this.model.start([...values, ...given], step);
    this.given = given.map(([, value]) => value);
    this.recording.clear();
    this.look();
    this.before = this.now;
    this.shown = 0;
    this.plotted = -Infinity;
  }

  /** What is at the present communication point: recorded variables, and where things are. */
  look() {
    const { model } = this, coordinates = this.data.picture && model.get(this.coordinates).slice();
    this.now = { time: model.time, row: model.get(this.columns).slice(), coordinates };
  }

  /** Inputs take their values at the present point. */
  apply() {
    const { model, sources, given } = this;
    let same = true;
    for (let i = 0; i < sources.length; i++) {
      const value = valueOf(sources[i], model.time, model.length);
      if (value !== given[i]) { given[i] = value; same = false; }
    }
    if (same) return;
    model.set(this.inputs, given);
    this.look();
  }

  step() {
    this.apply();
    this.recording.add(this.now.time, this.now.row);
    this.before = this.now;
    this.model.step();
    this.look();
  }

  /** Runs until what is shown has moved by a time [s], for at most some milliseconds; gives a frame. spacing [s]: of rows for plots. */
  advance(by, milliseconds, spacing) {
    const end = performance.now() + milliseconds, target = this.shown + by, rows = [];
    let steps = 0;
    while (this.model.time < target - 1e-9 * this.model.length && (performance.now() < end || !steps)) {
      this.step();
      steps++;
      if (this.now.time >= this.plotted + spacing) { this.plotted = this.now.time; rows.push(this.now); }
    }
    const behind = this.model.time < target && by < Infinity;
    this.shown = Math.min(target, this.model.time);
    const every = Math.ceil(rows.length / MOST_ROWS);
    return { ...this.frame(), behind, steps, rows: rows.filter((_, i) => i % every === 0).map(({ time, row }) => ({ time, row })) };
  }

  /** One communication step, shown at its end. */
  single() {
    this.step();
    this.shown = this.plotted = this.model.time;
    return { ...this.frame(), rows: [{ time: this.now.time, row: this.now.row }] };
  }

  /** What is seen: between the last two communication points places are linear. */
  frame() {
    this.hear();
    const { before, now, shown, model } = this, said = this.said.splice(0, this.said.length);
    const share = now.time > before.time ? Math.min(Math.max((shown - before.time) / (now.time - before.time), 0), 1) : 1;
    let numbers = null;
    if (now.coordinates) {
      const { starts, slots } = this.data.picture, places = model.doubles(this.places, starts.length);
      places.set(starts);
      slots.forEach((slot, i) => { places[slot] = now.coordinates[i] * share + before.coordinates[i] * (1 - share); });
      model.c.place(shown, this.places, this.numbers);
      numbers = model.doubles(this.numbers, this.length).slice();
    }
    return { time: shown, row: now.row, numbers, said, rows: [] };
  }

  /** Keeps the last of what the model tells: of sampled controllers that is much. */
  hear() {
    const told = this.model.heard().filter(({ category, text }) => category !== "logEvents" || text.includes(" variable="));
    this.said.push(...told.slice(-MOST_SAID));
  }

  /** A parameter changed while the run goes on. */
  tune(reference, value) {
    const group = this.model.group([reference]);
    try { this.model.set(group, [value]); } finally { this.model.c.release(group.references); this.model.c.release(group.values); }
    this.look();
    return this.frame();
  }

  save() {
    const number = ++this.number;
    this.saved.set(number, { ...this.model.save(), now: this.now });
    return { kept: number, time: this.model.time };
  }

  restore(number) {
    const saved = this.saved.get(number);
    this.model.restore(saved);
    this.look();
    this.before = this.now;
    this.given = [...this.model.get(this.inputs)];
    this.recording.back(this.model.time);
    this.shown = this.plotted = this.model.time;
    return { ...this.frame(), back: true, parameters: [...this.model.get(this.parameters)] };
  }

  csv() { return this.recording.csv([this.now.time, this.now.row]); }
}
