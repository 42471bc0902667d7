// Plots are drawn as they come into sight: a run of a large craft has a hundred of them. Their time axes move together: the plot that a
// person zooms or moves at once, then one more of those in sight with every frame of the screen, and the others as they come into sight.
// Of long curves a browser is given what each pixel can show of the stretch of time that is seen; closer in, that is every point.

const AHEAD = "300px";  // drawn so far before they are seen
const plots = new Map();  // what is drawn, by place: { range, now, due, late, near }
let shown = null;  // stretch of time that all plots show, once someone has chosen one
let moment = null;  // the view's time, where it rests
let waiting = false;  // for the next frame of the screen
window.report = { plots };  // for tests

/** Number of the first of rising values x that is not below a value. */
function placeOf(x, value) {
  let low = 0, high = x.length;
  while (low < high) { const middle = (low + high) >> 1; if (x[middle] < value) low = middle + 1; else high = middle; }
  return low;
}

/** A curve between two instants, one point more at either end: whole if its points are few, else the peaks of each of `pixels` stretches. */
function seen({ x, y }, start, end, pixels) {
  const first = Math.max(placeOf(x, start) - 1, 0), behind = Math.min(placeOf(x, end) + 2, x.length), count = behind - first;
  if (count <= 2 * pixels) return { x: x.slice(first, behind), y: y.slice(first, behind) };
  const out = { x: new x.constructor(2 * pixels), y: new y.constructor(2 * pixels) };
  for (let k = 0; k < pixels; k++) {
    const a = first + Math.floor(k * count / pixels), b = first + Math.floor((k + 1) * count / pixels);
    let low = a, high = a;
    for (let i = a + 1; i < b; i++) { if (y[i] < y[low] || isNaN(y[low])) low = i; if (y[i] > y[high] || isNaN(y[high])) high = i; }
    [low, high].sort((i, j) => i - j).forEach((i, side) => { out.x[2 * k + side] = x[i]; out.y[2 * k + side] = y[i]; });
  }
  return out;
}

/** One plot that is due and in sight takes the chosen stretch of time and the view's moment, then, a frame of the screen later, the next. */
function follow() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    const next = [...plots.values()].find(({ due, late, near }) => (due || late) && near);
    if (!next) return;
    if (next.due) next.range.setv(shown);
    if (next.late) next.now.setv({ location: moment ?? 0, visible: moment !== null });
    next.due = next.late = false;
    follow();
  });
}

// ---- figures

const TOOLS = "xpan,xwheel_zoom,box_zoom,reset,save";
const VALUES = '<div style="white-space: nowrap"><b>$name</b>&ensp;@y{%.6g}&ensp;at @x{%.6g} s</div>';  // at the pointer, of the points that are drawn
const LEGEND = { click_policy: "hide", label_text_font_size: "9pt", padding: 1, margin: 1, spacing: 4, border_line_color: null, orientation: "horizontal" };

/** Numbers of a text: 32-bit floats, zipped. */
async function unpacked(text) {
  const zipped = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([zipped]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Float32Array(await new Response(stream).arrayBuffer());
}

const packedTimes = JSON.parse(document.getElementById("times").textContent), times = [];  // instants that curves share, unpacked when first needed
const timeOf = (i) => (times[i] ??= unpacked(packedTimes[i]));

/** The figure of a plot as Python describes it (plots.py), with a line for the view's time. */
async function figure({ title, height, span, log, columns, curves }) {
  const [start, end] = span;
  const plot = Bokeh.Plotting.figure({ title, height, sizing_mode: "stretch_width", x_range: new Bokeh.Range1d({ start, end }), y_axis_type: log ? "log" : "auto", tools: TOOLS, toolbar_location: "above" });
  plot.toolbar.setv({ logo: null, active_drag: plot.toolbar.tools.find((tool) => tool instanceof Bokeh.BoxZoomTool), active_scroll: null });
  plot.add_tools(new Bokeh.HoverTool({ tooltips: VALUES, formatters: { "@x": "printf", "@y": "printf" }, mode: "vline", attachment: "horizontal", visible: false }));
  plot.add_layout(new Bokeh.Span({ name: "now", dimension: "height", line_color: "#1c2733", line_alpha: 0.6, visible: false }));
  for (const { label, key, color, dash, time, values } of curves) {
    const source = new Bokeh.ColumnDataSource({ data: { x: await timeOf(time), y: await unpacked(values) } });
    plot.line({ field: "x" }, { field: "y" }, { source, color, line_dash: dash, legend_label: key, name: label || " " });
  }
  const legend = plot.center.find((part) => part instanceof Bokeh.Legend);
  if (new Set(curves.map(({ key }) => key)).size < 2) legend?.setv({ visible: false });
  else {
    legend.setv({ ...LEGEND, ncols: columns });
    plot.center = plot.center.filter((part) => part !== legend);
    plot.add_layout(legend, "above");
  }
  return plot;
}

async function draw(place) {
  plots.set(place, {});  // is being drawn
  const model = await figure(JSON.parse(place.nextElementSibling.textContent));
  await Bokeh.Plotting.show(model, place);
  const range = model.x_range, plot = { range, now: model.center.find(({ name }) => name === "now"), due: shown !== null, late: moment !== null, near: true };
  const long = model.renderers.map(({ data_source }) => ({ data_source, whole: data_source.data }));
  const fit = () => {
    const pixels = Math.max(Math.round(model.inner_width * devicePixelRatio), 100);
    for (const { data_source, whole } of long) if (whole.x.length > 2 * pixels) data_source.data = seen(whole, range.start, range.end, pixels);
  };
  fit();
  model.properties.inner_width.change.connect(fit);  // known once it is laid out
  range.change.connect(() => {
    fit();
    if (shown && range.start === shown.start && range.end === shown.end) return;
    shown = { start: range.start, end: range.end };
    for (const other of plots.values()) other.due = other !== plot;
    follow();
  });
  model.on_event("tap", ({ x }) => frame?.contentWindow.view?.seek(x));  // a click in a plot takes the view there
  plots.set(place, plot);
  follow();
}

// ---- the view's time

const frame = document.querySelector("iframe");

function attend() {
  const inside = frame.contentWindow;
  inside.addEventListener("drawn", () => {
    const now = inside.view.playing ? null : inside.view.time;
    if (now === moment) return;
    moment = now;
    for (const plot of plots.values()) plot.late = true;
    follow();
  });
}
if (frame?.contentWindow.view) attend(); else frame?.addEventListener("load", attend);

const sight = new IntersectionObserver((places) => {
  for (const { target, isIntersecting } of places) {
    const plot = plots.get(target);
    if (plot) plot.near = isIntersecting; else if (isIntersecting) draw(target);
  }
  follow();
}, { rootMargin: AHEAD });
document.querySelectorAll(".plot").forEach((place) => sight.observe(place));
