// The package in Node: node --test crates/pliant-js/tests/api.test.mjs, with PLIANT_PACKAGE, the folder that `pack` made.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

const folder = process.env.PLIANT_PACKAGE ?? 'out/npm';
const P = await import(pathToFileURL(`${folder}/pliant.js`));

/** The message of a PliantError; anything else thrown, a panic of the engine above all, fails the test. */
function refused(work) {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof P.PliantError, `${error.name}: ${error.message}`);
    assert.ok(error instanceof Error);
    return error.message;
  }
  assert.fail(`nothing was thrown by ${work}`);
}

const hanging = (options = {}, world = {}) => {
  const mesh = P.sheet({ width: 1, height: 1, columns: 8, rows: 8 });
  const cloth = new P.Body(mesh, new P.ClothMaterial(), { name: 'cloth', pin: [mesh.vertex(0, -1), mesh.vertex(-1, -1)], ...options });
  return new P.Simulation(cloth, world);
};

it('says what to do before the engine is there', () => {
  assert.match(refused(() => P.sheet()), /await init\(\)/);
});

describe('the engine', () => {
  before(() => P.default());

  it('is loaded once', async () => {
    await Promise.all([P.default(), P.default()]);
  });

  it('lets a point fall by ½ g t² (1 + 1/n)', () => {
    const mesh = P.sheet({ width: 0.1, height: 0.1, columns: 1, rows: 1 });
    const sim = new P.Simulation(new P.Body(mesh, new P.ClothMaterial()), { timeStep: 0.01, integrator: 'implicit-euler', substeps: 1 });
    const before = sim.exactPositions()[1];
    sim.step(100);
    const fallen = before - sim.exactPositions()[1];
    assert.ok(Math.abs(fallen - 0.5 * 9.81 * (1 + 1 / 100)) < 1e-9, `${fallen}`);
    assert.ok(Math.abs(sim.time - 1) < 1e-12);
    assert.equal(sim.steps, 100);
  });

  it('shows positions and normals without copying, also after memory has grown', () => {
    const sim = hanging();
    const first = sim.positions;
    assert.equal(first.length, 3 * 81);
    assert.equal(sim.positions, first, 'the same view as long as nothing moves');
    assert.ok(Math.abs(sim.normals[2]) > 0.99);
    const start = Float32Array.from(first);
    sim.step(5);
    const exact = sim.exactPositions();
    sim.positions.forEach((x, k) => assert.equal(x, Math.fround(exact[k])));
    assert.notDeepEqual(Float32Array.from(sim.positions), start);
    const buffer = sim.positions.buffer;
    const others = [];
    while (sim.positions.buffer === buffer) others.push(new P.Simulation(new P.Body(P.sheet({ columns: 60, rows: 60 }), new P.ClothMaterial())));
    sim.positions.forEach((x, k) => assert.equal(x, Math.fround(exact[k])));
    others.forEach((other) => other.free());
  });

  it('draws between two steps', () => {
    const sim = hanging();
    sim.step(9);
    const before = sim.exactPositions();
    sim.step();
    const after = sim.exactPositions();
    sim.blend(0.25);
    sim.positions.forEach((x, k) => assert.ok(Math.abs(x - (before[k] + 0.25 * (after[k] - before[k]))) < 1e-6));
    assert.match(refused(() => sim.blend(1.5)), /share is 1.5/);
  });

  it('keeps the energy of a swinging cloth within its books', () => {
    const sim = hanging();
    const before = sim.report();
    sim.step(30);
    const after = sim.report();
    assert.ok(after.total < before.total + 1e-6 && after.kinetic > 0);
    assert.equal(after.momentum.length, 3);
    assert.ok(Object.values(after.elastic).every(Number.isFinite));
  });

  it('continues from a checkpoint bit for bit', () => {
    const [sim, again] = [hanging(), hanging()];
    sim.step(10);
    const saved = sim.checkpoint();
    sim.step(10);
    again.restore(saved);
    again.step(10);
    assert.equal(again.stateHash, sim.stateHash);
    assert.match(refused(() => again.restore(saved.slice(0, 100))), /damaged|cut off/);
    assert.match(refused(() => again.restore(new Uint8Array(3))), /checkpoint/);
    assert.match(refused(() => hanging({ pin: [0] }).restore(saved)), /another model/);
  });

  it('makes and moves meshes', () => {
    const ball = P.sphere({ radius: 0.5, subdivisions: 2 }).translated([0, 1, 0]);
    assert.equal(ball.vertexCount, 162);
    assert.ok(Math.abs(ball.positions.reduce((sum, y, k) => sum + (k % 3 === 1 ? y : 0), 0) / 162 - 1) < 1e-12);
    const turned = P.rope({ start: [0, 0, 0], end: [1, 0, 0], segments: 1 }).rotated([0, 0, 2], 90);
    assert.ok(Math.hypot(turned.positions[3], turned.positions[4] - 1) < 1e-15);
    assert.equal(P.box({ cells: [2, 1, 1] }).surface().mesh.triangles.length % 3, 0);
    assert.ok(ball.fill({ cells: 6 }).tets.length > 0);
    assert.equal(P.sheet({ columns: 3, rows: 2 }).translated([1, 0, 0]).scaled(2).rotated([0, 1, 0], 5).vertex(-1, -1), 11);
    for (const make of [P.disc, P.cylinder, P.torus]) assert.ok(make().triangles.length > 0);
    for (const make of [P.bundle, P.scalp]) assert.ok(make().strands.length > 0);
    const read = P.readMesh('one.obj', new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'), { scale: 2 });
    assert.deepEqual([...read.triangles], [0, 1, 2]);
    assert.equal(read.positions[3], 2);
    assert.match(refused(() => P.readMesh('bad.obj', new TextEncoder().encode('v 0 0 zero\n'))), /bad.obj.*1/s);
  });

  it('completes materials', () => {
    const silk = P.ClothMaterial.preset('silk', { density: 0.1 });
    assert.equal(silk.density, 0.1);
    assert.ok(silk.youngsModulus > 0);
    assert.equal(P.SolidMaterial.preset('jelly').kind, 'solid');
    assert.match(refused(() => P.ClothMaterial.preset('velvet')), /velvet.*silk/);
    assert.match(refused(() => new P.ClothMaterial({ yongsModulus: 1 })), /yongsModulus.*youngsModulus/);
  });

  it('simulates solids, strands, rods, rigid bodies and fluids', () => {
    const bodies = [
      [new P.Body(P.box({ cells: [2, 2, 2] }), P.SolidMaterial.preset('jelly'))],
      [new P.Body(P.rope({ start: [0, 0, 0], end: [1, 0, 0] }), P.StrandMaterial.preset('cord'), { pin: [0] })],
      [new P.Body(P.rope({ start: [0, 0, 0], end: [1, 0, 0] }), new P.RodMaterial(), { pin: [0, 1] }), 'position-based'],
      [new P.Body(P.sphere({ subdivisions: 1 }), new P.RigidMaterial(), { velocity: [1, 0, 0], spin: [0, 1, 0] })],
      [new P.Body(new P.Points([0, 0, 0, 0.04, 0, 0, 0, 0.04, 0]), new P.FluidMaterial({ spacing: 0.04 })), 'position-based'],
    ];
    for (const [body, solver = 'auto'] of bodies) {
      const sim = new P.Simulation(body, { solver });
      const report = sim.step(3);
      assert.ok(sim.positions.every(Number.isFinite) && report.step === 3);
      sim.free();
    }
  });

  it('picks, grabs and lets go', () => {
    const sim = hanging();
    const picked = sim.pick([0.01, 0.01, 5], [0, 0, -1]);
    assert.equal(picked.body, 'cloth');
    assert.equal(sim.pick([9, 9, 5], [0, 0, -1]), null);
    const grab = sim.grab(picked.body, picked.vertex, { stiffness: 500 });
    grab.move([0, 0, 0.5]);
    sim.step(20);
    const z = sim.positions[3 * picked.vertex + 2];
    assert.ok(z > 0.2, `${z}`);
    grab.release();
    refused(() => grab.move([0, 0, 0]));
    assert.match(refused(() => sim.grab('cloth', 10_000)), /10000/);
    assert.match(refused(() => sim.grab('rope', 0)), /rope/);
  });

  it('moves pins', () => {
    const sim = hanging();
    const pin = sim.pinned[0];
    sim.movePin('cloth', pin, [0.1, 0.2, 0.3]);
    sim.step();
    assert.deepEqual([...sim.exactPositions().slice(3 * pin, 3 * pin + 3)], [0.1, 0.2, 0.3]);
    sim.unpin('cloth', [pin]);
    assert.ok(!sim.pinned.includes(pin));
    assert.match(refused(() => sim.movePin('cloth', 40, [0, 0, 0])), /not pinned/);
  });

  it('adds, removes and changes what is there', () => {
    const sim = hanging();
    sim.step(2);
    sim.add(new P.Body(P.rope({ start: [2, 0, 0], end: [3, 0, 0] }), new P.StrandMaterial(), { name: 'rope', pin: [0] }));
    assert.deepEqual(sim.bodies.map((body) => body.name), ['cloth', 'rope']);
    assert.equal(sim.segments().length, 40);
    sim.step(2);
    sim.setMaterial('cloth', P.ClothMaterial.preset('denim'));
    sim.attach({ first: ['cloth', 0], second: ['rope', 20], stiffness: 10 });
    sim.addCollider(P.Collider.sphere(0.2, { at: [0, -1, 0] }));
    sim.replaceCollider(0, P.Collider.box([1, 1, 1], { at: [0, -2, 0], turned: { axis: [0, 1, 0], degrees: 45 } }));
    sim.removeCollider(0);
    sim.wind = { velocity: [0, 0, 3] };
    sim.gravity = [0, -1, 0];
    assert.deepEqual(sim.gravity, [0, -1, 0]);
    sim.solver = { kind: 'projective', iterations: 5 };
    sim.timeStep = 0.01;
    sim.step(2);
    sim.remove('rope');
    assert.equal(sim.positions.length, 3 * 81);
    assert.match(refused(() => sim.remove('rope')), /rope.*cloth/);
    assert.match(refused(() => sim.removeCollider(0)), /no collider 0/);
  });

  it('holds cloth on a ball, and apart from itself', () => {
    const mesh = P.sheet({ width: 1, height: 1, columns: 16, rows: 16, plane: 'xz' });
    const sim = new P.Simulation(new P.Body(mesh, P.ClothMaterial.preset('cotton')), {
      colliders: [P.Collider.sphere(0.3, { at: [0, -0.4, 0], friction: 0.5 }), P.Collider.plane({ at: [0, -1, 0] })],
      selfCollision: { thickness: 0.004 },
    });
    const report = sim.step(60);
    assert.ok(report.contacts > 0);
    const x = sim.positions;
    for (let k = 0; k < x.length; k += 3) assert.ok(Math.hypot(x[k], x[k + 1] + 0.4, x[k + 2]) > 0.295);
  });

  it('tears', () => {
    const mesh = P.sheet({ width: 0.4, height: 0.4, columns: 6, rows: 6 });
    const paper = new P.Body(mesh, P.ClothMaterial.preset('paper'), { name: 'paper', pin: [0, 1, 2, 3, 4, 5, 6, 42, 43, 44, 45, 46, 47, 48], tearing: { stretch: 1.02 } });
    const sim = new P.Simulation(paper);
    const count = sim.positions.length;
    for (let k = 1; k <= 40 && sim.topologyChanges === 0; k++) {
      for (let v = 42; v <= 48; v++) sim.movePin('paper', v, [mesh.positions[3 * v], mesh.positions[3 * v + 1] + 0.002 * k, 0]);
      sim.step();
    }
    assert.ok(sim.topologyChanges > 0);
    assert.ok(sim.positions.length > count);
    assert.ok(sim.triangles().every((v) => v < sim.positions.length / 3));
  });

  it('runs scenes, with errors at their line and column', () => {
    assert.ok(P.builtinScenes().includes('curtain'));
    const scene = P.Scene.builtin('curtain', { overrides: { 'world.frames': 5 } });
    assert.equal(scene.frames, 5);
    const sim = scene.simulation();
    for (let k = 0; k < 5; k++) sim.nextFrame();
    assert.deepEqual(sim.frames.frame, 5);
    assert.ok(sim.verdicts().every((verdict) => typeof verdict.holds === 'boolean'));
    const text = '[[body]]\nname = "a"\nshape.sheet = { width = 1, height = 1, colums = 8, rows = 8 }\nmaterial.cloth = {}\n';
    try {
      P.Scene.parse(text).simulation();
      assert.fail('it was accepted');
    } catch (error) {
      assert.ok(error instanceof P.PliantError, error.message);
      assert.equal(error.line, 3);
      assert.ok(error.column > 1);
      assert.match(error.message, /colums/);
    }
    assert.match(refused(() => P.Scene.builtin('nothing')), /curtain/);
    const large = { 'body.0.shape.sheet.columns': 3000, 'body.0.shape.sheet.rows': 3000 };
    assert.match(refused(() => P.Scene.builtin('curtain', { overrides: large }).simulation()), /vertices/);
  });

  it('cannot be used after it was freed', () => {
    const sim = hanging();
    sim.free();
    assert.match(refused(() => sim.step()), /freed/);
    assert.match(refused(() => sim.positions), /freed/);
    sim.free();
    const other = hanging();
    other[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
    assert.match(refused(() => other.time), /freed/);
  });

  it('gives memory back', () => {
    for (let k = 0; k < 3; k++) hanging().free();
    const before = (() => {
      const sim = hanging();
      const size = sim.positions.buffer.byteLength;
      sim.free();
      return size;
    })();
    for (let k = 0; k < 200; k++) hanging().free();
    const sim = hanging();
    assert.equal(sim.positions.buffer.byteLength, before);
  });
});

describe('bad input', () => {
  before(() => P.default());
  const mesh = () => P.sheet({ columns: 2, rows: 2 });
  const cloth = (options, material) => () => new P.Simulation(new P.Body(mesh(), material ?? new P.ClothMaterial(), options));
  const world = (options) => () => hanging({}, options);
  const cases = {
    'a NaN in positions': [() => new P.Simulation(new P.Body(new P.TriangleMesh([0, 0, NaN, 1, 0, 0, 0, 1, 0], [0, 1, 2]), new P.ClothMaterial())), /positions\[2\] is NaN/],
    'an index out of range': [() => new P.Simulation(new P.Body(new P.TriangleMesh([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 3]), new P.ClothMaterial())), /3/],
    'a negative index': [() => new P.TriangleMesh([0, 0, 0], [0, 1, -1]), /triangles\[2\] is -1/],
    'half an index': [() => new P.TriangleMesh([0, 0, 0], [0, 0.5, 1]), /triangles\[1\] is 0.5/],
    'coordinates that are no multiple of three': [() => new P.Simulation(new P.Body(new P.TriangleMesh([0, 0], []), new P.ClothMaterial())), /2 numbers/],
    'an empty mesh': [() => new P.Simulation(new P.Body(new P.TriangleMesh([], []), new P.ClothMaterial())), /./],
    'a world without bodies': [() => new P.Simulation([]), /no vertices/],
    'a sheet of no columns': [() => P.sheet({ columns: 0 }), /column/],
    'a huge sheet': [() => P.sheet({ columns: 4e9, rows: 4e9 }), /./],
    'a box of two numbers': [() => P.box({ cells: [1, 2] }), /two|2 numbers/],
    'a huge sphere': [() => P.sphere({ subdivisions: 40 }), /sphere.*too many/],
    'an option of another name': [() => P.sheet({ colums: 3 }), /colums.*columns/],
    'a text for a number': [() => P.sheet({ width: 'wide' }), /sheet.width is "wide"/],
    'an infinite number': [() => P.sheet({ width: Infinity }), /sheet.width is (inf|Infinity)/],
    'a negative stiffness': [cloth({}, { kind: 'cloth', youngsModulus: -1 }), /-1/],
    'no material': [() => new P.Simulation(new P.Body(mesh(), {})), /material.kind is missing/],
    'null for a body': [() => new P.Simulation([null]), /mesh is missing|null/],
    'a number for a body': [() => new P.Simulation([7]), /bodies\[0\] is 7/],
    'cloth of tets': [() => new P.Simulation(new P.Body(P.box(), new P.ClothMaterial())), /do not go together/],
    'a pin out of range': [cloth({ pin: [99] }), /99/],
    'a pin that is no number': [cloth({ pin: ['a'] }), /pin\[0\] is "a"/],
    'spin of cloth': [cloth({ spin: [0, 1, 0] }), /spin/],
    'velocities of another length': [cloth({ velocities: [0, 0, 0] }), /velocit/],
    'an unknown option of a body': [cloth({ colour: 'red' }), /colour/],
    'two bodies of one name': [() => new P.Simulation([new P.Body(mesh(), new P.ClothMaterial(), { name: 'a' }), new P.Body(mesh(), new P.ClothMaterial(), { name: 'a' })]), /a/],
    'an unknown solver': [world({ solver: 'magic' }), /magic.*projective/],
    'an unknown parameter of a solver': [world({ solver: { kind: 'newton', iteration: 3 } }), /solver.*iteration/],
    'too many iterations': [world({ solver: { kind: 'projective', iterations: 4e9 } }), /solver.iterations is 4000000000/],
    'a NaN for a tolerance': [world({ solver: { kind: 'projective', tolerance: NaN } }), /tolerance is NaN/],
    'a time step of 0': [world({ timeStep: 0 }), /time step/],
    'a negative time step': [world({ timeStep: -1 }), /time step/],
    'gravity of two numbers': [world({ gravity: [0, 1] }), /gravity has 2/],
    'gravity that is no list': [world({ gravity: 'down' }), /gravity is "down"/],
    'a substep of a half': [world({ substeps: 0.5 }), /substeps is 0.5/],
    'an unknown option of a world': [world({ tmeStep: 1 }), /tmeStep.*timeStep/],
    'a ball of no radius': [world({ colliders: [P.Collider.sphere()] }), /colliders\[0\].radius is missing/],
    'a ball of negative radius': [world({ colliders: [P.Collider.sphere(-1)] }), /-1/],
    'an axis without length': [world({ colliders: [P.Collider.plane({ turned: { axis: [0, 0, 0], degrees: 3 } })] }), /axis/],
    'keys out of order': [world({ colliders: [P.Collider.plane({ keys: [{ time: 1 }, { time: 0 }] })] }), /./],
    'an attachment to nobody': [world({ attachments: [{ first: ['cloth', 0], second: ['rope', 0] }] }), /rope/],
    'an attachment of one number': [world({ attachments: [{ first: ['cloth'], second: ['cloth', 0] }] }), /first/],
    'a wind of letters': [world({ wind: 'west' }), /wind is "west"/],
    'no steps': [() => hanging().step(0), /count is 0/],
    'half a step': [() => hanging().step(0.5), /count is 0.5/],
    'positions of another length': [() => hanging().setPositions([0, 0, 0]), /positions|1/],
    'NaN for a position': [() => hanging().setPositions(new Float64Array(243).fill(NaN)), /positions\[0\] is NaN/],
    'NaN for a velocity': [() => hanging().setVelocities(new Float64Array(243).fill(NaN)), /velocities\[0\] is NaN/],
    'a ray without direction': [() => hanging().pick([0, 0, 1], [0, 0, 0]), /./],
    'a ray of NaN': [() => hanging().pick([NaN, 0, 1], [0, 0, 1]), /origin\[0\] is NaN/],
    'a grab without stiffness': [() => hanging().grab('cloth', 0, { stiffness: 0 }), /stiffness/],
    'a grab of half a vertex': [() => hanging().grab('cloth', 0.5), /vertex is 0.5/],
    'forces of another length': [() => hanging().setForces([1, 2, 3]), /./],
    'a scene that is empty': [() => P.Scene.parse('').simulation(), /no body/],
    'a scene that is no TOML': [() => P.Scene.parse('= =').simulation(), /scene.toml:1:3/],
    'an override of no key': [() => P.Scene.builtin('curtain', { overrides: { 'world.nothing': 1 } }), /nothing/],
    'a scene on a GPU': [() => P.Scene.builtin('curtain', { overrides: { 'solver.gpu': {} } }).simulation(), /GPU|gpu/],
    'a mesh file that is none': [() => P.readMesh('x.gltf', new Uint8Array([1, 2, 3])), /x.gltf/],
    'a mesh file of no format': [() => P.readMesh('x.doc', new Uint8Array(10)), /x.doc/],
    'an open surface to fill': [() => P.sheet().fill(), /open|inside|closed/i],
    'a body that flies away': [() => hanging({ velocity: [1e12, 0, 0] }, { runawayLimit: 1 }).step(10), /./],
  };
  for (const [name, [work, expected]] of Object.entries(cases)) {
    it(`${name} is one clear error`, () => {
      assert.match(refused(work), expected);
    });
  }

  it('leaves the engine as it was', () => {
    const sim = hanging();
    sim.step(3);
    const hash = sim.stateHash;
    for (const [work] of Object.values(cases)) refused(work);
    assert.equal(sim.stateHash, hash);
    sim.step(3);
  });
});
