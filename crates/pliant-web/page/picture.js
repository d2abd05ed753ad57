// The picture: a canvas that the module `view` draws into, and what happens when its graphics are lost.

import { compiled } from "./simulation.js";

// A context that is lost more often than this in a minute is not worth another attempt.
const MOST_LOSSES = 3;

export class Picture {
  // `on`: failed(reason), save(name, blob). `options`: webgpu, whether it may be used.
  constructor(box, simulation, on, options) {
    Object.assign(this, { box, simulation, on, options });
    this.losses = [];
    this.module = compiled("view");
    // What is wrong is told when it is needed.
    this.module.catch(() => {});
    this.attempt = 0;
    // A key to leave the picture by: Tab goes round among its sliders.
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") document.querySelector("header button").focus();
    }, true);
    addEventListener("error", () => this.look());
    setInterval(() => this.look(), 1000);
  }

  async begin() {
    this.stop();
    const attempt = ++this.attempt;
    const focused = document.activeElement;
    const canvas = document.createElement("canvas");
    canvas.setAttribute("aria-label", this.box.getAttribute("aria-label"));
    canvas.setAttribute("role", "application");
    // A module that has panicked is of no use any more: another address loads another.
    const address = this.has_panicked ? `./modules/view.js?${attempt}` : "./modules/view.js";
    this.has_panicked = false;
    try {
      const module = await import(address);
      this.wasm = await module.default({ module_or_path: await this.module });
      const view = new module.View();
      this.box.replaceChildren(canvas);
      canvas.addEventListener("webglcontextlost", (event) => {
        event.preventDefault();
        this.lost("the browser has taken the graphics context away");
      });
      const page = {
        send: (bytes, restarts) => this.simulation.send(bytes, restarts),
        save: (width, height, rgba) => this.save(width, height, rgba),
      };
      this.view = view;
      await view.start(canvas, page, this.options.webgpu);
      if (attempt !== this.attempt) return;
      this.canvas = canvas;
      // A view takes the focus: not from someone who writes.
      if (focused !== document.body && focused.isConnected) focused.focus();
      if (attempt > 1) this.simulation.tell_all();
    } catch (error) {
      if (attempt !== this.attempt) return;
      this.stop();
      this.on.failed(await this.reason(error));
    }
  }

  async reason(error) {
    const text = String(error?.message ?? error);
    const has_webgl = !!document.createElement("canvas").getContext("webgl2");
    const has_webgpu = !!(await navigator.gpu?.requestAdapter().catch(() => null));
    if (has_webgl || has_webgpu) return `the picture cannot be shown: ${text}`;
    return "the picture cannot be shown: this browser has neither WebGPU nor WebGL 2, or they are switched off. Scenes are checked and simulated all the same";
  }

  stop() {
    try {
      this.view?.stop();
    } catch {
      this.has_panicked = true;
    }
    this.view = this.canvas = null;
    this.box.replaceChildren();
  }

  // The graphics have gone, but not what is simulated.
  lost(reason) {
    const now = performance.now();
    this.losses = this.losses.filter((time) => now - time < 60_000).concat(now);
    this.stop();
    if (this.losses.length > MOST_LOSSES) this.on.failed(`the picture cannot be shown: ${reason}, again and again`);
    else {
      this.on.lost(reason);
      this.begin();
    }
  }

  // Whether the view has panicked, or lost its device.
  look() {
    let failure = null;
    try {
      failure = this.view?.failure() ?? null;
    } catch (error) {
      failure = String(error);
    }
    if (failure !== null) {
      this.has_panicked = true;
      // Where WebGPU fails, WebGL may do.
      this.options.webgpu = false;
      this.lost(failure.split("\n")[0]);
    }
  }

  receive(events) {
    if (!this.view) return;
    try {
      for (const bytes of events) this.view.receive(bytes);
    } catch {
      this.look();
    }
  }

  save(width, height, rgba) {
    const name = `pliant-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.png`;
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height];
    canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(rgba), width, height), 0, 0);
    canvas.toBlob((blob) => this.on.save(name, blob));
    return name;
  }
}
