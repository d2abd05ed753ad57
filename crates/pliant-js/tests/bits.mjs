// Whether scenes have the same bits in WebAssembly and natively on portable instructions:
//   node bits.mjs PACKAGE NATIVE            with the folder that `pack` made and the example `state_hash` of pliant-scene
//   node bits.mjs PACKAGE NATIVE times      how long a frame takes, as the table of docs/javascript.md
//   node bits.mjs PACKAGE NATIVE FRAMES SCENE…    hashes alone, as the example prints them

import { execFileSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [folder, native, mode, ...named] = process.argv.slice(2);

// Cloth, tets, contact, self-collision, hair, rods, fluid, shape matching, oriented particles, tearing, rigid bodies, pressure, wind.
const scenes = [
  'curtain', 'twisted-bar', 'cloth-on-spheres', 'ribbon-pile', 'hair', 'cable', 'dam-break', 'gummy', 'plant', 'torn-flag', 'toy-box', 'balloon', 'flag', 'jelly-cubes',
];

// What is timed, with the numbers of frames of a short and of a long run.
const timed = [
  ['cloth of 625 vertices', 'curtain', 200, 1000],
  ['cloth of 6561 vertices', 'curtain,body.0.shape.sheet.columns=80,body.0.shape.sheet.rows=80', 40, 160],
  ['twisted bar of tets', 'twisted-bar', 200, 1000],
  ['cloth on spheres, with self-collision', 'cloth-on-spheres', 40, 120],
];

/** Lines of scenes and their hashes. */
async function inWasm(frames, names) {
  const P = await import(pathToFileURL(`${folder}/pliant.js`));
  await P.default();
  return names.map((described) => {
    const [name, ...parts] = described.split(',');
    const overrides = Object.fromEntries(parts.map((part) => [part.slice(0, part.indexOf('=')), JSON.parse(part.slice(part.indexOf('=') + 1))]));
    const sim = P.Scene.builtin(name, { overrides }).simulation();
    for (let k = 0; k < frames; k++) sim.nextFrame();
    const line = `${described} ${sim.stateHash}`;
    sim.free();
    return line;
  });
}

/** Milliseconds of the processor for a frame: what a long run takes more than a short one, so that neither loading nor other programs count. */
function milliseconds(command, [short, long], scene) {
  const seconds = (frames) =>
    Number(execFileSync('bash', ['-c', 'TIMEFORMAT=%U; { time "$@" >/dev/null; } 2>&1', 'time', ...command, String(frames), scene], { encoding: 'utf8' }));
  return (1000 * (seconds(long) - seconds(short))) / (long - short);
}

if (mode === 'times') {
  console.log('| a frame of | WebAssembly | native, without AVX2 | native, with AVX2 | WebAssembly over native without AVX2 |');
  console.log('|---|---:|---:|---:|---:|');
  const wasm = [process.execPath, fileURLToPath(import.meta.url), folder, native];
  for (const [title, scene, ...frames] of timed) {
    const times = [wasm, [native, 'portable'], [native, 'native']].map((command) => milliseconds(command, frames, scene));
    console.log(`| ${title} | ${times.map((time) => `${time.toFixed(2)} ms`).join(' | ')} | ${(times[0] / times[1]).toFixed(2)} |`);
  }
} else if (mode) {
  (await inWasm(Number(mode), named)).forEach((line) => console.log(line));
} else {
  const frames = 12;
  const expected = execFileSync(native, ['portable', String(frames), ...scenes], { encoding: 'utf8' }).trim().split('\n');
  const found = await inWasm(frames, scenes);
  const different = found.filter((line, k) => line !== expected[k]);
  if (different.length || found.length !== expected.length) {
    console.error(`in WebAssembly:\n${found.join('\n')}\nnatively:\n${expected.join('\n')}`);
    process.exit(1);
  }
  console.log(`${found.length} scenes have the same bits after ${frames} frames`);
}
