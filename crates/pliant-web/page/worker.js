// The worker of the simulation: takes messages of the page, turns the session, and posts what comes of it.

import init, { Simulation, last_panic } from "./modules/simulation.js";

// More than a page can simulate while anyone waits for it.
const MOST_VERTICES = 200_000;
// Timers are not more exact than this [s]; what is due sooner is waited for by messages to itself.
const TIMER = 0.004;

let simulation = null;
let memory = null;
let timer = 0;
let is_posted = false;
const soon = new MessageChannel();
soon.port1.onmessage = () => {
  is_posted = false;
  attempt(turn);
};

function turn_soon() {
  if (!is_posted) {
    is_posted = true;
    soon.port2.postMessage(null);
  }
}

function turn() {
  clearTimeout(timer);
  const { events, told, wait } = simulation.turn(performance.now() / 1000);
  if (events.length > 0 || told.length > 0) {
    postMessage({ events, told }, events.map((bytes) => bytes.buffer));
  }
  if (wait !== null) {
    if (wait < TIMER) turn_soon();
    else timer = setTimeout(() => attempt(turn), 1000 * wait);
  }
}

// A trap leaves the module in no state to go on: the page begins another worker.
function attempt(work) {
  try {
    work();
  } catch (error) {
    let reason = String(error);
    if (error instanceof WebAssembly.RuntimeError) {
      let panic = null;
      try {
        panic = last_panic();
      } catch {}
      reason = panic ?? "the memory of this page may be full";
    }
    simulation = null;
    postMessage({ failed: reason });
    close();
  }
}

const does = {
  async module({ module }) {
    try {
      ({ memory } = await init({ module_or_path: module }));
      simulation = new Simulation(MOST_VERTICES);
      postMessage({ ready: true });
    } catch (error) {
      postMessage({ failed: String(error) });
    }
  },
  command: ({ bytes }) => simulation.handle(bytes),
  file: ({ name, bytes }) => simulation.add_file(name, bytes),
  open: ({ name, text }) => simulation.open(name, text),
  tell_all: () => simulation.tell_all(),
  scene_of_mesh({ name, number }) {
    let answer;
    try {
      answer = { text: simulation.scene_of_mesh(name) };
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      answer = { error: String(error) };
    }
    postMessage({ answer: { number, ...answer } });
  },
  ping: () => postMessage({ pong: memory.buffer.byteLength }),
};

onmessage = ({ data }) => {
  if (data.does === "module") return does.module(data);
  // What was sent to a simulation that has failed meanwhile is lost with it.
  if (simulation) attempt(() => does[data.does](data));
  if (simulation && data.does !== "ping") turn_soon();
};
