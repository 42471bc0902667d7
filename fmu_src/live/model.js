// A model compiled to WebAssembly (fmu_src/native/runtime/wasm): an instance, its variables by value reference, its run, saved states.

const WARNING = 1;  // the highest status of a call that was served

/** A call was refused; the message is the model's own. fatal: nothing but a restart is possible. */
export class Refused extends Error {
  constructor(message, status) { super(message); this.fatal = status > 2; }
}

export class Model {
  /** bytes: of the module; tolerance: relative, of the solver. */
  static async of(bytes, tolerance) {
    const model = new Model(), page = { told: (...said) => model.hear(...said) };
    const { instance } = await WebAssembly.instantiate(bytes, { page });
    Object.assign(model, { c: instance.exports, tolerance, said: [], steps: 0, length: 0 });
    model.c._initialize();
    model.instance = model.c.create();
    if (!model.instance) throw new Refused("there is not enough memory for this model", 4);
    return model;
  }

  hear(status, category, message) { this.said.push({ status, category: this.text(category), text: this.text(message) }); }

  /** What the model has told since it was last asked: { status, category, text } each. */
  heard() { const said = this.said; this.said = []; return said; }

  text(at) {
    const bytes = new Uint8Array(this.c.memory.buffer, at);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  /** Calls an exported function that answers with a status. */
  call(name, ...given) {
    const status = this.c[name](this.instance, ...given);
    if (status <= WARNING) return;
    const why = this.said.filter((each) => each.status === status).at(-1);
    throw new Refused(why ? why.text : `${name} was refused`, status);
  }

  /** A place in the module's memory for `count` doubles, or value references. */
  room(count, bytes = 8) {
    const at = this.c.room(Math.max(count, 1) * bytes);
    if (!at) throw new Refused("there is not enough memory", 4);
    return at;
  }

  doubles(at, count) { return new Float64Array(this.c.memory.buffer, at, count); }  // until the memory grows

  /** Variables that are read or written together. */
  group(references) {
    const group = { count: references.length, references: this.room(references.length, 4), values: this.room(references.length) };
    new Uint32Array(this.c.memory.buffer, group.references, group.count).set(references);
    return group;
  }

  get(group) {
    this.call("get", group.references, group.count, group.values);
    return this.doubles(group.values, group.count);
  }

  set(group, values) {
    this.doubles(group.values, group.count).set(values);
    this.call("set", group.references, group.count, group.values);
  }

  /** Begins a run at time 0 with start values, [reference, value] each, and communication steps of a length [s]. */
  start(values, length) {
    this.call("reset");
    this.call("set_up", this.tolerance, Infinity);
    const group = this.group(values.map(([reference]) => reference));
    try { this.set(group, values.map(([, value]) => value)); } finally { this.c.release(group.references); this.c.release(group.values); }
    this.call("initialize");
    Object.assign(this, { steps: 0, length });
  }

  get time() { return this.steps * this.length; }

  /** One communication step. */
  step() {
    this.call("step", this.time, this.length);
    this.steps++;
  }

  /** The complete state, for `restore`. */
  save() {
    const state = this.c.save(this.instance);
    if (!state) throw new Refused("there is not enough memory for one more state", 2);
    return { state, steps: this.steps, length: this.length };
  }

  restore({ state, steps, length }) {
    this.call("restore", state);
    Object.assign(this, { steps, length });
  }

  forget({ state }) { this.call("forget", state); }
}
