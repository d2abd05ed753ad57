// The page: a simulation in a worker, its picture, and what is around them.

import { Editor } from "./editor.js";
import { Gallery } from "./gallery.js";
import { say, unsay } from "./messages.js";
import { Picture } from "./picture.js";
import { packed, unpacked } from "./share.js";
import { Simulation } from "./simulation.js";

const find = (selector) => document.querySelector(selector);
const FIRST = "curtain";
// Larger files than this fill the memory of a page.
const LARGEST_FILE = 64 << 20;

// What runs: its file name, its text when it was opened, and its name in the gallery, if it has one.
let current = { name: "", text: "", builtin: null };

const simulation = new Simulation({
  events: (events) => picture.receive(events),
  opened: () => {
    unsay("failed");
    editor.clear();
  },
  notice: (notice) => {
    if (notice.line !== null) {
      // What is wrong with the text stands at its place, unless the text is another by now.
      if (editor.text !== current.text) return;
      editor.complain(notice);
      open_panel("text");
    } else if (!picture.canvas && notice.severity !== "info") {
      // Else the picture shows it.
      say("notice", notice.text, { alarm: true });
    }
  },
  busy: (is_busy) => {
    if (!is_busy) return unsay("busy");
    say("busy", "The simulation has not answered for some seconds: a step, or a scene that is opened, takes long.", {
      button: ["Stop it", () => simulation.begin()],
    });
  },
  failed: (reason) => {
    unsay("busy");
    say("failed", `The simulation has failed: ${reason}`, { alarm: true, button: ["Begin anew", () => simulation.begin()] });
  },
});

// `?graphics=webgl2` does without WebGPU.
const picture = new Picture(find("#picture"), simulation, {
  failed: (reason) => say("picture", `${reason[0].toUpperCase()}${reason.slice(1)}.`, { alarm: true, button: ["Try again", () => picture.begin()] }),
  lost: (reason) => say("picture", `The picture began anew: ${reason}.`),
  save: (name, blob) => offer(name, blob),
}, { webgpu: new URLSearchParams(location.search).get("graphics") !== "webgl2" });

const editor = new Editor((text) => open(current.name || "scene.toml", text, null));
const gallery = new Gallery(async (scene) => {
  await open_builtin(scene);
  if (is_narrow()) close_panels();
});

function is_narrow() {
  return matchMedia("(max-width: 700px)").matches;
}

// Opens a scene. `builtin`: its name in the gallery, if it stands there as it is.
function open(name, text, builtin) {
  current = { name, text, builtin };
  editor.text = text;
  editor.clear();
  gallery.mark(builtin);
  const title = /^\s*title\s*=\s*"([^"\n]*)"/m.exec(text)?.[1] ?? name;
  find("#title").textContent = title;
  document.title = `${title} – Pliant`;
  history.replaceState(null, "", builtin ? `#scene=${builtin}` : location.pathname + location.search);
  simulation.open(name, text);
}

async function open_builtin(scene) {
  try {
    open(scene.file.split("/").pop(), await gallery.text(scene), scene.name);
  } catch (error) {
    say("scene", String(error.message ?? error), { alarm: true });
  }
}

async function open_link() {
  let asked = null;
  try {
    asked = await unpacked(location.hash);
    if (asked?.text !== undefined) return open(asked.name, asked.text, null);
    const scene = await gallery.find(asked?.scene ?? FIRST);
    if (scene) return await open_builtin(scene);
    throw new Error(`there is no scene ${JSON.stringify(asked.scene)}; the scenes that there are stand under “Scenes”`);
  } catch (error) {
    say("link", String(error.message ?? error), { alarm: true });
    const scene = await gallery.find(FIRST).catch(() => null);
    if (scene && !current.text) await open_builtin(scene);
  }
}

// Panels: one at a time.
const panels = { scenes: find("#show-scenes"), text: find("#show-text") };

function open_panel(name) {
  for (const [other, button] of Object.entries(panels)) {
    find(`#${other}`).hidden = other !== name;
    button.setAttribute("aria-expanded", other === name);
  }
  if (name === "text") editor.follow();
}

function close_panels() {
  open_panel(null);
}

for (const [name, button] of Object.entries(panels)) {
  button.addEventListener("click", () => (find(`#${name}`).hidden ? open_panel(name) : close_panels()));
  find(`#${name}`).addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      close_panels();
      button.focus();
    }
  });
}

find("#revert").addEventListener("click", () => {
  editor.text = current.text;
});

function offer(name, blob) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

find("#download").addEventListener("click", (event) => {
  event.preventDefault();
  offer(current.name || "scene.toml", new Blob([editor.text], { type: "text/plain" }));
});

// Files that are dropped or chosen: scenes are opened; meshes become scenes. They stay in this page.
async function take(files) {
  const meshes = [];
  for (const file of files) {
    if (file.size > LARGEST_FILE) {
      say("file", `${file.name} has ${Math.round(file.size / 1e6)} MB, but a page takes files of at most ${Math.round(LARGEST_FILE / 1e6)} MB`, { alarm: true });
      continue;
    }
    try {
      if (/\.toml$/i.test(file.name)) open(file.name, await file.text(), null);
      else {
        simulation.add_file(file.name, new Uint8Array(await file.arrayBuffer()));
        meshes.push(file.name);
      }
    } catch (error) {
      say("file", `${file.name} cannot be read: ${error.message ?? error}`, { alarm: true });
    }
  }
  // The first that is a mesh by itself: others may be parts of it.
  let reason = null;
  for (const name of meshes) {
    try {
      const text = await simulation.scene_of_mesh(name);
      open(`${name.replace(/\.[^.]*$/, "")}.toml`, text, null);
      return unsay("file");
    } catch (error) {
      reason ??= error.message;
    }
  }
  if (reason !== null) say("file", reason, { alarm: true });
}

find("#choose-mesh").addEventListener("click", () => find("#mesh").click());
find("#mesh").addEventListener("change", async (event) => {
  await take([...event.target.files]);
  event.target.value = "";
});
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  take([...event.dataTransfer.files]);
}, true);

find("#share").addEventListener("click", async () => {
  const is_builtin = current.builtin && editor.text === current.text;
  try {
    const fragment = is_builtin ? `scene=${current.builtin}` : await packed(current.name, editor.text);
    const url = new URL(location.href);
    url.hash = fragment;
    const missing = [...simulation.files.keys()].filter((name) => editor.text.includes(JSON.stringify(name)));
    const note = missing.length === 0 ? "The link has the text of the scene in it; nothing is stored anywhere." :
      `The link has the text of the scene in it, but not ${missing.join(", ")}: whoever opens it must drop the same file first.`;
    find("#shared-note").textContent = note;
    find("#link").value = url.href;
    find("#shared").showModal();
    find("#link").select();
  } catch (error) {
    say("share", String(error.message ?? error), { alarm: true });
  }
});
find("#copy").addEventListener("click", async () => {
  find("#link").select();
  try {
    await navigator.clipboard.writeText(find("#link").value);
    find("#copy").textContent = "Copied";
  } catch {
    // Not every page may write there; what is selected can be copied by hand.
    find("#copy").textContent = "Press Ctrl + C";
  }
  setTimeout(() => (find("#copy").textContent = "Copy"), 2000);
});

addEventListener("hashchange", open_link);

// For programs that drive the page, such as tests.
window.pliant = {
  state: () => picture.view?.state() ?? null,
  project: (vertex) => picture.view?.project(vertex) ?? null,
  open: (text, name = "scene.toml") => open(name, text, null),
  memory: () => ({
    view: picture.wasm?.memory.buffer.byteLength ?? 0,
    simulation: simulation.memory,
    script: performance.memory?.usedJSHeapSize ?? 0,
    silence: performance.now() - simulation.heard,
  }),
  get current() {
    return current;
  },
  picture,
  simulation,
};

picture.begin();
open_link();
