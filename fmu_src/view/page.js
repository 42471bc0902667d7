// The page's elements and numbers: what Python has put into it.

export const data = JSON.parse(document.getElementById("data").textContent);
export const at = (id) => document.getElementById(id);

/** Bytes of a base64 text; as numbers: 32-bit floats. */
export function bytes(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}
export const floats = (text) => new Float32Array(bytes(text));

/** Rows of `width` numbers over time, read between frames. */
export class Track {
  constructor(text, width) { this.values = floats(text); this.width = width; }
  at(frame, share, out = []) {
    const n = this.values.length / this.width, next = Math.min(frame + 1, n - 1);
    for (let i = 0; i < this.width; i++)
      out[i] = (1 - share) * this.values[frame * this.width + i] + share * this.values[next * this.width + i];
    return out;
  }
}
