// Types of the package, seen by tsc --noEmit: what is right is accepted, and what is wrong is not.

import init, { Body, BodyOptions, ClothMaterial, Collider, PliantError, Scene, Simulation, TriangleMesh, box, readMesh, sheet, sphere } from 'pliant';

await init();
const mesh = sheet({ columns: 8, rows: 8, plane: 'xz' });
const corner: number = mesh.vertex(0, -1);
const options: BodyOptions = { name: 'cloth', pin: [corner], tearing: { stretch: 1.1 } };
const sim = new Simulation([new Body(mesh.translated([0, 1, 0]), ClothMaterial.preset('silk'), options)], {
  colliders: [Collider.sphere(0.2, { at: [0, 0, 0] })],
  solver: { kind: 'projective', iterations: 5 },
  wind: { velocity: [1, 0, 0], turbulence: { strength: 0.2 } },
});
const iterations: number = sim.step(10).iterations;
const view: Float32Array = sim.positions;
sim.wind = null;
sim.gravity = [0, -1, 0];
const y: number = sim.gravity[1];
const picked = sim.pick([0, 0, 5], [0, 0, -1]);
if (picked) sim.grab(picked.body, picked.vertex).move(picked.point);
const read = readMesh('a.obj', new Uint8Array());
if (read instanceof TriangleMesh) read.fill({ cells: 5 });
const kinetic: number = sim.report().elastic['plate'] ?? 0;
const scene = Scene.builtin('curtain', { overrides: { 'world.frames': 3 } }).simulation();
const frame: number | undefined = scene.frames?.frame;
try {
  scene.nextFrame();
} catch (error) {
  if (error instanceof PliantError) console.log(error.line, error.column);
}
console.log(iterations, view, y, kinetic, frame, box().tets, sphere().triangles);

// @ts-expect-error a name that is misspelt
sheet({ colums: 8 });
// @ts-expect-error a preset that there is not
ClothMaterial.preset('velvet');
// @ts-expect-error a solver that there is not
sim.solver = 'magic';
// @ts-expect-error positions are for reading
sim.positions = new Float32Array();
// @ts-expect-error a parameter of another solver
sim.solver = { kind: 'newton', anderson: 5 };
// @ts-expect-error colliders have makers
new Collider();
