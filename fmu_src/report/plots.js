// Plots are drawn as they come into sight: a run of a large craft has a hundred of them. Their time axes move together.
"use strict";

const AHEAD = "300px";  // drawn so far before they are seen
const ranges = [];
let shown = null;  // stretch of time that all plots show, once someone has chosen one

function follow(range) {
  shown = { start: range.start, end: range.end };
  for (const other of ranges) if (other.start !== shown.start || other.end !== shown.end) other.setv(shown);
}

async function draw(place) {
  const item = JSON.parse(place.nextElementSibling.textContent);
  const [view] = await Bokeh.embed.embed_item(item, place.id);
  const range = view.model.x_range;
  if (shown) range.setv(shown);
  range.change.connect(() => follow(range));
  ranges.push(range);
}

const sight = new IntersectionObserver((places) => {
  for (const { target, isIntersecting } of places) if (isIntersecting) { sight.unobserve(target); draw(target); }
}, { rootMargin: AHEAD });
document.querySelectorAll(".plot").forEach((place) => sight.observe(place));
