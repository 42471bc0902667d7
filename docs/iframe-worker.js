// Pages that are opened from the disk may start no Worker, in which the search runs. There it gets a window of its own instead.
"use strict";

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.window = frame.contentWindow;
      this.window.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.window.importScripts = (...urls) => Promise.all(urls.map((url) => this.load(new URL(url, address))));
      this.waiting = [];
      this.load(address).then(() => { for (const data of this.waiting.splice(0)) this.give(data); this.waiting = null; });
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.window.document.createElement("script");
        Object.assign(script, { src: url, onload: done, onerror: failed });
        this.window.document.body.append(script);
      });
    }

    give(data) { this.window.dispatchEvent(new this.window.MessageEvent("message", { data })); }
    postMessage(data) { if (this.waiting) this.waiting.push(data); else this.give(data); }
    terminate() { this.window.frameElement.remove(); }
  };
}
