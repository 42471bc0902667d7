// The run so far, a row per communication point, and its CSV file.

const MOST = 1 << 22;  // numbers that are kept: 32 MB; of longer runs every second, fourth, … row

export class Recording {
  constructor(names) { this.names = names; this.clear(); }

  clear() { Object.assign(this, { time: [], rows: [], every: 1, seen: 0 }); }

  /** row: is not written to any more. */
  add(time, row) {
    if (this.seen++ % this.every) return;
    this.time.push(time); this.rows.push(row);
    if (this.rows.length * this.names.length < MOST || this.rows.length < 16) return;
    this.every *= 2;
    for (const key of ["time", "rows"]) this[key] = this[key].filter((_, i) => i % 2 === 0);
  }

  /** Without what is at a time or behind it: the run goes on from there. */
  back(time) {
    while (this.time.length && this.time.at(-1) >= time - 1e-12 * Math.abs(time)) { this.time.pop(); this.rows.pop(); }
    this.seen = this.rows.length * this.every;
  }

  /** As spacefmu simulate writes it; numbers read back to the same bits. last: [time, row] of the present. */
  csv(last) {
    const cell = (name) => (/[",\n\r;]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
    const line = (time, row) => [time, ...row].map((value) => (Object.is(value, -0) ? "-0" : value)).join(",");
    return [["time", ...this.names.map(cell)].join(","), ...this.rows.map((row, i) => line(this.time[i], row)), line(...last), ""].join("\n");
  }
}
