// Numbers as text.

/** A number in a few letters; what is nothing beside a range is 0. */
export const short = (v, range = 0) => (isNaN(v) ? "–" : Math.abs(v) <= 1e-6 * range ? "0" : Math.abs(v) >= 1e-3 && Math.abs(v) < 1e5 ? String(Number(v.toPrecision(3))) : v.toExponential(1));

/** The largest of 1, 2, 5 · 10^k that is no more than a number. */
export function round(most) {
  const ten = Math.pow(10, Math.floor(Math.log10(most)));
  return ten * [5, 2, 1].find((each) => each * ten <= most);
}
