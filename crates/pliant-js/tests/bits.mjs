// Whether scenes have the same bits in WebAssembly and natively on portable instructions, and how long a step takes:
// node bits.mjs PACKAGE NATIVE [--times], with the folder that `pack` made and the example `state_hash` of pliant-scene.

import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

const [folder, native, mode] = process.argv.slice(2);
const P = await import(pathToFileURL(`${folder}/pliant.js`));
await P.default();

// Cloth, solids, strands, rods, hair, fluid, rigid bodies, contact, self-collision, shape matching, oriented particles, tearing, wind, pressure.
const scenes = [
  'curtain', 'twisted-bar', 'cloth-on-spheres', 'ribbon-pile', 'hair', 'cable', 'dam-break', 'gummy', 'plant', 'torn-flag', 'toy-box', 'balloon', 'flag', 'jelly-cubes',
];
const frames = 12;

// What is timed, on one thread: the step that a tenth of the frames are below. Other programs delay the others, and at first JavaScript is still compiling.
const timed = {
  'curtain, 625 vertices': 'curtain',
  'curtain, 6561 vertices': 'curtain,body.0.shape.sheet.columns=80,body.0.shape.sheet.rows=80',
  'twisted bar of tets': 'twisted-bar',
  'cloth on spheres': 'cloth-on-spheres',
};

function inWasm(described, frames) {
  const [name, ...parts] = described.split(',');
  const overrides = Object.fromEntries(parts.map((part) => [part.slice(0, part.indexOf('=')), JSON.parse(part.slice(part.indexOf('=') + 1))]));
  const sim = P.Scene.builtin(name, { overrides }).simulation();
  const times = [];
  for (let k = 0; k < frames; k++) {
    const begun = performance.now();
    const steps = sim.nextFrame().length || 1;
    times.push((performance.now() - begun) / steps);
  }
  times.sort((a, b) => a - b);
  const result = { hash: sim.stateHash, milliseconds: times[Math.floor(times.length / 10)] };
  sim.free();
  return result;
}

function natively(instructions, frames, names) {
  const lines = execFileSync(native, [instructions, String(frames), ...names], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [, hash, milliseconds] = line.split(' ');
    return { hash, milliseconds: Number(milliseconds) };
  });
}

if (mode === '--times') {
  const names = Object.values(timed);
  const frames = 150;
  const runs = { portable: natively('portable', frames, names), native: natively('native', frames, names) };
  console.log('| a step of | WebAssembly | native, without AVX2 | native, with AVX2 | WebAssembly over native without AVX2 |');
  console.log('|---|---:|---:|---:|---:|');
  Object.entries(timed).forEach(([title, described], k) => {
    const [wasm, portable, avx2] = [inWasm(described, frames), runs.portable[k], runs.native[k]].map((run) => run.milliseconds);
    console.log(`| ${title} | ${wasm.toFixed(2)} ms | ${portable.toFixed(2)} ms | ${avx2.toFixed(2)} ms | ${(wasm / portable).toFixed(2)} |`);
  });
} else {
  const expected = natively('portable', frames, scenes);
  const different = scenes.filter((scene, k) => {
    const { hash } = inWasm(scene, frames);
    console.log(`${scene}: ${hash} in WebAssembly, ${expected[k].hash} natively`);
    return hash !== expected[k].hash;
  });
  if (different.length) {
    console.error(`different bits: ${different.join(', ')}`);
    process.exit(1);
  }
  console.log(`${scenes.length} scenes have the same bits after ${frames} frames`);
}
