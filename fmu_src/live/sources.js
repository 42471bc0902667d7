// What an input follows over time: a value, a pulse, a sine, a column of a table. Sources are plain data: they go to the worker as they are.

const NEAR = 1e-9;  // of a communication step: an instant that falls on an edge belongs behind it

const SHAPES = {
  value: ({ value }) => value,
  pulse: ({ value, rest, from, length }, t, step) => (t >= from - NEAR * step && t < from + length - NEAR * step ? value : rest),
  sine: ({ value, rest, from, period }, t) => rest + value * Math.sin(2 * Math.PI * (t - from) / period),
  table: ({ time, values, held }, t, step) => between(time, values, held, t, NEAR * step),
};

/** The value of a source at a communication point. */
export const valueOf = (source, t, step) => SHAPES[source.shape](source, t, step);

/** Linear between the rows of a table, or held from each to the next; constant before the first and behind the last. */
function between(time, values, held, t, near) {
  let low = 0, high = time.length - 1;
  if (t + near < time[low]) return values[low];
  if (t + near >= time[high]) return values[high];
  while (low < high - 1) { const middle = (low + high) >> 1; if (time[middle] <= t + near) low = middle; else high = middle; }
  return held ? values[low] : values[low] + (values[high] - values[low]) * Math.max(t - time[low], 0) / (time[high] - time[low]);
}
