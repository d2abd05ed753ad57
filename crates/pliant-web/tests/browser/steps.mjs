// How many steps the simulation of the page takes in a second of one processor: `PLIANT_PAGE=folder node steps.mjs`. Time of the processor, so that what else the machine does matters
// little. It prints; it asserts nothing.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const modules = `${process.env.PLIANT_PAGE}/modules`;
const { default: init, Simulation } = await import(pathToFileURL(`${modules}/simulation.js`));
await init({ module_or_path: readFileSync(`${modules}/simulation_bg.wasm`) });

const scene = (name) => readFileSync(`${process.env.PLIANT_PAGE}/scenes/${name}.toml`, "utf8");
const cloth = `
[[body]]
name = "cloth"
shape.sheet = { width = 1, height = 1, columns = 80, rows = 80, plane = "xz" }
material.cloth = { preset = "silk" }
pin = [{ select = { corners = ["top-left", "top-right"] } }]
`;

for (const [name, text, steps] of [["curtain, 625 vertices", scene("curtain"), 240], ["cloth, 6561 vertices", cloth, 30]]) {
  const simulation = new Simulation(200_000);
  simulation.open(`${name}.toml`, text);
  // Each turn comes so late that a step is due.
  let now = 0;
  simulation.turn(now);
  const before = process.cpuUsage();
  for (let step = 0; step < steps; step++) simulation.turn((now += 1));
  const { user, system } = process.cpuUsage(before);
  console.log(`${name}: ${((1e6 * steps) / (user + system)).toFixed(1)} steps in a second of one processor`);
}
