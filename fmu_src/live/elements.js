// Elements of the panel. Names of a model become text, never markup.

/** An element with properties, attributes (aria-…, role), and children or text. */
export function make(tag, properties = {}, ...children) {
  const out = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("aria-") || key === "role" || key === "for") out.setAttribute(key, value); else out[key] = value;
  }
  out.append(...children);
  return out;
}

/** A name as text that may break after dots and underscores. */
export function breakable(name) {
  return name.split(/(?<=[._])/).flatMap((part) => [document.createElement("wbr"), part]);
}

/** A number field: the first argument of `changed` is finite. */
export function numberField(label, value, changed) {
  const field = make("input", { type: "number", step: "any", value: String(value), "aria-label": label });
  field.onchange = () => { const given = Number(field.value); if (field.value !== "" && Number.isFinite(given)) changed(given); else field.value = String(value); };
  return field;
}

/** Sections by the first part of names, each to be folded: [name, entries] in their order. */
export function grouped(entries) {
  const groups = new Map();
  for (const entry of entries) {
    const key = entry.name.includes(".") ? entry.name.slice(0, entry.name.indexOf(".")) : "";
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups];
}
