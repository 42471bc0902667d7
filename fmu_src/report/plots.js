// Plots are drawn as they come into sight: a run of a large craft has a hundred of them. Their time axes move together. Of long curves
// a browser is given what its width can show of the stretch of time that is seen; closer in, that is every point.
"use strict";

const AHEAD = "300px";  // drawn so far before they are seen
const STRETCHES = 1000;  // of a long curve: the lowest and the highest value of each are drawn
const ranges = [];
let shown = null;  // stretch of time that all plots show, once someone has chosen one

function follow(range) {
  shown = { start: range.start, end: range.end };
  for (const other of ranges) if (other.start !== shown.start || other.end !== shown.end) other.setv(shown);
}

/** Number of the first of rising values x that is not below a value. */
function place_of(x, value) {
  let low = 0, high = x.length;
  while (low < high) { const middle = (low + high) >> 1; if (x[middle] < value) low = middle + 1; else high = middle; }
  return low;
}

/** A curve between two instants, one point more at either end: whole if its points are few, else the peaks of its stretches. */
function seen({ x, y }, start, end) {
  const first = Math.max(place_of(x, start) - 1, 0), behind = Math.min(place_of(x, end) + 2, x.length), count = behind - first;
  if (count <= 2 * STRETCHES) return { x: x.slice(first, behind), y: y.slice(first, behind) };
  const out = { x: [], y: [] };
  for (let k = 0; k < STRETCHES; k++) {
    const a = first + Math.floor(k * count / STRETCHES), b = first + Math.floor((k + 1) * count / STRETCHES);
    let low = a, high = a;
    for (let i = a + 1; i < b; i++) { if (y[i] < y[low]) low = i; if (y[i] > y[high]) high = i; }
    for (const i of low < high ? [low, high] : [high, low]) { out.x.push(x[i]); out.y.push(y[i]); }
  }
  return out;
}

async function draw(place) {
  const item = JSON.parse(place.nextElementSibling.textContent);
  const [view] = await Bokeh.embed.embed_item(item, place.id);
  const range = view.model.x_range;
  const long = view.model.renderers.map(({ data_source }) => ({ data_source, whole: data_source.data })).filter(({ whole }) => whole.x.length > 2 * STRETCHES);
  const thin = () => { for (const { data_source, whole } of long) data_source.data = seen(whole, range.start, range.end); };
  if (shown) range.setv(shown);
  thin();
  range.change.connect(() => { thin(); follow(range); });
  ranges.push(range);
}

const sight = new IntersectionObserver((places) => {
  for (const { target, isIntersecting } of places) if (isIntersecting) { sight.unobserve(target); draw(target); }
}, { rootMargin: AHEAD });
document.querySelectorAll(".plot").forEach((place) => sight.observe(place));
