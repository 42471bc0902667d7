// The worker of a live page: simulates, so that the page never waits. A message is { does, number, … }; its answer has the same number.
import { Simulation } from "./simulation.js";

let simulation = null;

const DOES = {
  open: async ({ bytes, data }) => { simulation = await Simulation.of(bytes, data); return simulation.frame(); },
  advance: ({ by, milliseconds, spacing }) => simulation.advance(by, milliseconds, spacing),
  step: () => simulation.single(),
  restart: ({ values, step }) => { simulation.restart(values, step); return { ...simulation.frame(), back: true }; },
  follow: ({ input, source }) => { simulation.sources[input] = source; return {}; },
  tune: ({ reference, value }) => simulation.tune(reference, value),
  save: () => simulation.save(),
  restore: ({ state }) => simulation.restore(state),
  csv: () => ({ text: simulation.csv(), every: simulation.recording.every }),
};

let last = Promise.resolve();
self.onmessage = ({ data: message }) => {
  last = last.then(async () => {
    const answer = { number: message.number };
    try { Object.assign(answer, await DOES[message.does](message)); }
    catch (error) { Object.assign(answer, { refused: String(error.message ?? error), fatal: error.fatal ?? true }); }
    self.postMessage(answer);
  });
};
