// The last stretch of the run, for plots: rows of recorded variables over time, as a view's run has them.
import { data } from "../view/page.js";

const ROOM = 4096, POINTS = 1000;  // rows that are kept; rows of a plot
const time = new Float32Array(ROOM), values = new Float32Array(ROOM * data.columns);
let first = 0, count = 0;

/** [s] between rows for a stretch of time. */
export const spacing = (stretch) => stretch / POINTS;

export function clear(run) { first = count = 0; run.events = []; show(run); }

/** Adds rows, and forgets those before the last `stretch` seconds. */
export function add(run, rows, stretch) {
  for (const { time: t, row } of rows) {
    if (count === ROOM) {
      time.copyWithin(0, first); values.copyWithin(0, first * data.columns);
      count -= first; first = 0;
      if (count === ROOM) { time.copyWithin(0, ROOM / 2); values.copyWithin(0, ROOM / 2 * data.columns); count = ROOM / 2; }
    }
    time[count] = t; values.set(row, count * data.columns); count++;
  }
  while (first < count - 2 && time[first] < time[count - 1] - stretch) first++;
  run.events = run.events.filter(([t]) => t >= time[first]);
  show(run);
}

function show(run) {
  run.time = count ? time.subarray(first, count) : new Float32Array(1);
  run.values.values = count ? values.subarray(first * data.columns, count * data.columns) : new Float32Array(data.columns);
}
