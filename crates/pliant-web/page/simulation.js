// The page's side of the worker: one simulation, which is begun again when it has failed.

// Seconds without an answer after which the user is told.
const PATIENCE = 8;

// A wasm module of the page.
export async function compiled(name) {
  const url = new URL(`modules/${name}_bg.wasm`, import.meta.url);
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} cannot be loaded: ${answer.status} ${answer.statusText}`);
  // Some hosts do not know the type of wasm.
  const is_wasm = (answer.headers.get("content-type") ?? "").startsWith("application/wasm");
  return is_wasm ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

export class Simulation {
  // `on` has a function for each thing that is told: events, notice, opened, failed, busy.
  constructor(on) {
    this.on = on;
    this.files = new Map();
    this.scene = null;
    this.questions = new Map();
    // Bytes of the memory of the worker, when it was last asked.
    this.memory = 0;
    this.module = compiled("simulation");
    this.begin();
    setInterval(() => this.look(), 1000);
  }

  // Begins a worker, with the files and the scene of the one before.
  begin() {
    this.worker?.terminate();
    const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.worker = worker;
    this.is_ready = this.has_failed = this.is_busy = false;
    this.heard = this.asked = performance.now();
    this.waiting = [];
    worker.onmessage = ({ data }) => {
      if (worker === this.worker) this.take(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.worker) this.fail(event.message ?? "the worker of the simulation cannot be loaded");
    };
    this.module.then(
      (module) => worker.postMessage({ does: "module", module }),
      (error) => this.fail(String(error.message ?? error)),
    );
    for (const [name, bytes] of this.files) this.post({ does: "file", name, bytes });
    if (this.scene) this.post({ does: "open", ...this.scene });
  }

  post(message) {
    if (this.is_ready) this.worker.postMessage(message);
    else this.waiting.push(message);
  }

  take(data) {
    this.heard = performance.now();
    if (this.is_busy) {
      this.is_busy = false;
      this.on.busy(false);
    }
    if (data.ready) {
      this.is_ready = true;
      for (const message of this.waiting.splice(0)) this.worker.postMessage(message);
    }
    if (data.pong) this.memory = data.pong;
    if (data.events?.length) this.on.events(data.events);
    for (const told of data.told ?? []) {
      if (told.opened !== undefined) this.on.opened(told.opened);
      else this.on.notice(told);
    }
    if (data.answer) {
      const { number, text, error } = data.answer;
      const { resolve, reject } = this.questions.get(number) ?? {};
      this.questions.delete(number);
      if (text !== undefined) resolve?.(text);
      else reject?.(new Error(error));
    }
    if (data.failed !== undefined) this.fail(data.failed);
  }

  fail(reason) {
    this.worker.terminate();
    this.has_failed = true;
    this.is_ready = false;
    for (const { reject } of this.questions.values()) reject(new Error(reason));
    this.questions.clear();
    this.on.failed(reason);
  }

  // Sees to it that a simulation which does not answer is noticed.
  look() {
    const now = performance.now();
    if (!this.is_ready || this.has_failed) return;
    if (this.heard >= this.asked) {
      this.asked = now;
      this.worker.postMessage({ does: "ping" });
    } else if (now - this.asked > 1000 * PATIENCE && !this.is_busy) {
      this.is_busy = true;
      this.on.busy(true);
    }
  }

  // A command of the view.
  send(bytes, restarts) {
    if (!this.has_failed) this.post({ does: "command", bytes });
    else if (restarts) this.begin();
  }

  open(name, text) {
    this.scene = { name, text };
    if (this.has_failed) this.begin();
    else this.post({ does: "open", name, text });
  }

  tell_all() {
    this.post({ does: "tell_all" });
  }

  // Keeps a file in memory, so that scenes can name it.
  add_file(name, bytes) {
    this.files.set(name, bytes);
    if (this.has_failed) this.begin();
    else this.post({ does: "file", name, bytes });
  }

  // The text of a scene to begin with, for a mesh file that was added.
  scene_of_mesh(name) {
    const number = Math.random();
    return new Promise((resolve, reject) => {
      this.questions.set(number, { resolve, reject });
      this.post({ does: "scene_of_mesh", name, number });
    });
  }
}
