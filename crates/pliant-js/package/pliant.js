// Deformable bodies: cloth, solids, strands and fluids. This half describes worlds and looks at them; the other half, core.js and pliant_bg.wasm, is the
// engine, compiled from Rust. Units are SI, and the y axis points up.

import initCore, * as core from './core.js';

const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');

/** What goes wrong, in the engine's words. Errors in scenes have the line and column, from 1. */
export class PliantError extends Error {
  constructor(message, line, column) {
    super(message);
    this.name = 'PliantError';
    this.line = line;
    this.column = column;
  }
}

let memory;
let beginning;

/**
 * Loads the engine; everything else comes after it. `source` is where pliant_bg.wasm is, if not beside this file: an URL, a response, bytes or a module.
 */
export default function init(source) {
  beginning ??= load(source).catch((error) => {
    beginning = undefined;
    throw error;
  });
  return beginning;
}

async function load(source) {
  let from = source ?? new URL('pliant_bg.wasm', import.meta.url);
  if (from.protocol === 'file:' && globalThis.process?.versions?.node) {
    // Node does not fetch files. Bundlers are not to look for its modules.
    const files = 'node:fs/promises';
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ files);
    from = await readFile(from);
  }
  const exports = await initCore({ module_or_path: from });
  core.begin(PliantError);
  memory = exports.memory;
}

/** The engine, once it is there. */
function engine() {
  if (!memory) throw new PliantError('the engine is not loaded yet: await init() first, the default export of this module');
  return core;
}

/** A vector by coordinates; what is no vector is left to the engine, which says so. */
function moved(positions, change) {
  const out = new Float64Array(positions.length);
  for (let k = 0; k + 2 < positions.length; k += 3) {
    const [x, y, z] = change(positions[k], positions[k + 1], positions[k + 2]);
    out.set([x, y, z], k);
  }
  return out;
}

function coordinates(values, name) {
  if (!Array.isArray(values) && !ArrayBuffer.isView(values)) throw new PliantError(`${name} must be a list of numbers, or of lists of three`);
  return Float64Array.from(Array.isArray(values[0]) ? values.flat() : values);
}

function corners(values, name) {
  if (!Array.isArray(values) && !ArrayBuffer.isView(values)) throw new PliantError(`${name} must be a list of indices`);
  const all = Array.isArray(values[0]) ? values.flat() : values;
  const bad = Array.prototype.findIndex.call(all, (index) => !(Number.isInteger(index) && index >= 0 && index < 2 ** 32));
  if (bad >= 0) throw new PliantError(`${name}[${bad}] is ${all[bad]}, but must be the number of a vertex`);
  return Uint32Array.from(all);
}

function triple(value, name) {
  const found = Array.from(value ?? [], Number);
  if (found.length !== 3 || !found.every(Number.isFinite)) throw new PliantError(`${name} must be three finite numbers`);
  return found;
}

// Meshes

/** The same mesh with other positions. */
function elsewhere(mesh, positions) {
  return Object.assign(Object.create(Object.getPrototypeOf(mesh)), mesh, { positions });
}

class Mesh {
  constructor(positions) {
    this.positions = coordinates(positions, 'positions');
  }

  get vertexCount() {
    return this.positions.length / 3;
  }

  /** The vertices for which a function of x, y, z and the vertex's number is true. */
  select(condition) {
    const found = [];
    for (let v = 0; v < this.vertexCount; v++) {
      if (condition(this.positions[3 * v], this.positions[3 * v + 1], this.positions[3 * v + 2], v)) found.push(v);
    }
    return Uint32Array.from(found);
  }

  translated(by) {
    const [a, b, c] = triple(by, 'by');
    return elsewhere(this, moved(this.positions, (x, y, z) => [x + a, y + b, z + c]));
  }

  scaled(by) {
    const [a, b, c] = triple(typeof by === 'number' ? [by, by, by] : by, 'by');
    return elsewhere(this, moved(this.positions, (x, y, z) => [a * x, b * y, c * z]));
  }

  /** Turned about an axis through the origin. */
  rotated(axis, degrees) {
    const along = triple(axis, 'axis');
    const length = Math.hypot(...along);
    if (!(length > 0) || !Number.isFinite(degrees)) throw new PliantError('rotated needs an axis that has a length, and degrees');
    const [a, b, c] = along.map((x) => x / length);
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    return elsewhere(this, 
      moved(this.positions, (x, y, z) => {
        const share = (1 - cos) * (a * x + b * y + c * z);
        return [
          cos * x + sin * (b * z - c * y) + share * a,
          cos * y + sin * (c * x - a * z) + share * b,
          cos * z + sin * (a * y - b * x) + share * c,
        ];
      }),
    );
  }
}

export class TriangleMesh extends Mesh {
  constructor(positions, triangles) {
    super(positions);
    this.triangles = corners(triangles, 'triangles');
  }

  get kind() {
    return 'triangles';
  }

  /** Fills what a closed surface encloses with tets. */
  fill(options) {
    return meshOf(engine().fillMesh(this, options));
  }
}

/** A sheet, with its vertices in columns and rows. */
export class Sheet extends TriangleMesh {
  /** The vertex in a column and a row; negative ones count from the last. */
  vertex(column, row) {
    const at = (k, count, name) => {
      const found = k < 0 ? count + 1 + k : k;
      if (!Number.isInteger(found) || found < 0 || found > count) throw new PliantError(`${name} is ${k}, but there are ${count + 1}`);
      return found;
    };
    return at(row, this.rows, 'row') * (this.columns + 1) + at(column, this.columns, 'column');
  }
}

export class TetMesh extends Mesh {
  constructor(positions, tets) {
    super(positions);
    this.tets = corners(tets, 'tets');
  }

  get kind() {
    return 'tets';
  }

  /** Its surface, and for each vertex of that the vertex of the solid. */
  surface() {
    const { mesh, vertices } = engine().surfaceOf(this);
    return { mesh: meshOf(mesh), vertices };
  }
}

export class Strands extends Mesh {
  constructor(positions, strands) {
    super(positions);
    this.strands = Array.from(strands, (strand, k) => corners(strand, `strands[${k}]`));
  }

  get kind() {
    return 'strands';
  }
}

export class Points extends Mesh {
  get kind() {
    return 'points';
  }
}

function meshOf({ kind, positions, triangles, tets, strands }) {
  if (kind === 'triangles') return new TriangleMesh(positions, triangles);
  if (kind === 'tets') return new TetMesh(positions, tets);
  return kind === 'strands' ? new Strands(positions, strands) : new Points(positions);
}

const made = (kind, options) => meshOf(engine().makeMesh(kind, options));

export function sheet(options) {
  const { mesh, columns, rows } = engine().makeMesh('sheet', options);
  return Object.assign(new Sheet(mesh.positions, mesh.triangles), { columns, rows });
}
export const disc = (options) => made('disc', options);
export const sphere = (options) => made('sphere', options);
export const cylinder = (options) => made('cylinder', options);
export const torus = (options) => made('torus', options);
export const box = (options) => made('box', options);
export const rope = (options) => made('rope', options);
export const bundle = (options) => made('bundle', options);
export const scalp = (options) => made('scalp', options);

/** The mesh in the bytes of a file (OBJ, PLY, STL, glTF, VTK, MSH and others); its name tells the format. */
export function readMesh(name, bytes, options) {
  return meshOf(engine().readMesh(name, bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes, options));
}

// Materials

/** A class of materials; its objects have all numbers, whether given, of a preset or standard. */
function materialClass(name, kind) {
  return {
    [name]: class {
      constructor(options) {
        Object.assign(this, engine().completeMaterial(kind, options));
      }

      get kind() {
        return kind;
      }

      static preset(preset, changes) {
        return new this({ ...changes, preset });
      }
    },
  }[name];
}

export const ClothMaterial = materialClass('ClothMaterial', 'cloth');
export const SolidMaterial = materialClass('SolidMaterial', 'solid');
export const StrandMaterial = materialClass('StrandMaterial', 'strand');
export const RodMaterial = materialClass('RodMaterial', 'rod');
export const RigidMaterial = materialClass('RigidMaterial', 'rigid');
export const FluidMaterial = materialClass('FluidMaterial', 'fluid');

// Worlds

/** A mesh of a material, with pins and the like. */
export class Body {
  constructor(mesh, material, options = {}) {
    const pin = typeof options.pin === 'function' ? mesh.select(options.pin) : options.pin;
    Object.assign(this, options, { mesh, material, pin });
  }

  /** The same body elsewhere, in its rest shape too. */
  translated(by) {
    return Object.assign(Object.create(Body.prototype), this, { mesh: this.mesh.translated(by) });
  }
}

/** An obstacle. */
export class Collider {
  constructor(kind, options) {
    Object.assign(this, options, { kind });
  }

  static plane(options) {
    return new Collider('plane', options);
  }
  static sphere(radius, options) {
    return new Collider('sphere', { ...options, radius });
  }
  static capsule(radius, length, options) {
    return new Collider('capsule', { ...options, radius, length });
  }
  static cylinder(radius, length, options) {
    return new Collider('cylinder', { ...options, radius, length });
  }
  static box(size, options) {
    return new Collider('box', { ...options, size });
  }
  static mesh(mesh, options) {
    return new Collider('mesh', { ...options, mesh });
  }
}

/** A vertex that is held softly. */
export class Grab {
  #sim;
  #number;

  constructor(sim, number) {
    this.#sim = sim;
    this.#number = number;
  }

  move(target) {
    this.#sim('moveGrab', this.#number, target);
  }

  release() {
    this.#sim('release', this.#number);
  }

  [dispose]() {
    this.release();
  }
}

/** Bodies that advance in time. */
export class Simulation {
  #core;
  #share = 1;
  #views = [];

  constructor(bodies, options = {}) {
    // A scene has built it already.
    this.#core = bodies instanceof core.Core ? bodies : engine().Core.build({ ...options, bodies: [bodies].flat() });
  }

  /** Gives the memory back; the simulation cannot be used any more. */
  free() {
    this.#core?.free();
    this.#core = undefined;
    this.#views = [];
  }

  [dispose]() {
    this.free();
  }

  #call(name, ...values) {
    return this.#engine[name](...values);
  }

  get #engine() {
    if (!this.#core) throw new PliantError('the simulation was freed');
    return this.#core;
  }

  // Stepping

  /** Takes steps and returns the report of the last. A step that fails throws, and changes nothing. */
  step(count = 1) {
    this.#share = 1;
    return this.#engine.step(count);
  }

  /** Takes all steps of a frame of a scene, or one step; their reports. */
  nextFrame() {
    this.#share = 1;
    return this.#engine.nextFrame();
  }

  /** Brings the world to rest. */
  settle({ tolerance } = {}) {
    return this.#engine.settle(tolerance);
  }

  // For drawing

  /**
   * The positions of all vertices, x, y, z after x, y, z: a view of the engine's own memory, without a copy. It is good until the simulation is next changed
   * or stepped; ask again then, which costs next to nothing: the same view comes back unless memory has moved.
   */
  get positions() {
    return this.#view(0);
  }

  /** Unit normals of surfaces at all vertices, as `positions`. */
  get normals() {
    return this.#view(1);
  }

  /** From now until the next step, `positions` and `normals` are at a share of the way between the last two steps. */
  blend(share) {
    this.#engine.draw(share);
    this.#share = share;
  }

  #view(which) {
    const at = this.#engine.draw(this.#share);
    const length = 3 * at[2];
    const old = this.#views[which];
    // When memory grows, views of the old one have nothing in them.
    if (old?.buffer === memory.buffer && old.byteOffset === at[which] && old.length === length) return old;
    return (this.#views[which] = new Float32Array(memory.buffer, at[which], length));
  }

  /** Triangles of all surfaces, or of that of one body: a copy. They change when `topologyChanges` does. */
  triangles(body) {
    return this.#engine.triangles(body);
  }

  /** Segments of all strands: a copy. */
  segments() {
    return this.#engine.segments();
  }

  get topologyChanges() {
    return this.#engine.topologyChanges;
  }

  get bodies() {
    return this.#engine.bodies();
  }

  // State

  get time() {
    return this.#engine.time;
  }
  get steps() {
    return this.#engine.steps;
  }
  get timeStep() {
    return this.#engine.timeStep;
  }
  set timeStep(seconds) {
    this.#engine.setTimeStep(seconds);
  }
  get gravity() {
    return this.#engine.gravity;
  }
  set gravity(gravity) {
    this.#engine.setGravity(gravity);
  }
  set wind(wind) {
    this.#engine.setWind(wind);
  }
  set solver(solver) {
    this.#engine.setSolver(solver);
  }
  solverOf(body) {
    return this.#engine.solverOf(body);
  }
  get pinned() {
    return this.#engine.pinned();
  }

  /** Positions in double precision: a copy. */
  exactPositions() {
    return this.#engine.positions();
  }
  velocities() {
    return this.#engine.velocities();
  }
  setPositions(positions) {
    this.#engine.setState(positions, undefined);
  }
  setVelocities(velocities) {
    this.#engine.setState(undefined, velocities);
  }
  setForces(forces) {
    this.#engine.setForces(forces);
  }

  /** Energies and momenta. */
  report() {
    return this.#engine.report();
  }

  /** The same text for states with the same bits. */
  get stateHash() {
    return this.#engine.stateHash();
  }

  checkpoint() {
    return this.#engine.checkpoint();
  }
  restore(bytes) {
    this.#engine.restore(bytes);
  }

  // What is held and dragged

  /** The vertex nearest to where a ray meets a surface, or null; strands are met within `radius`. */
  pick(origin, direction, { radius } = {}) {
    return this.#engine.pick(origin, direction, radius);
  }

  /** Holds a vertex softly by a spring [N/m]. */
  grab(body, vertex, { stiffness = 100 } = {}) {
    return new Grab((...call) => this.#call(...call), this.#engine.grab(body, vertex, stiffness));
  }

  /** Where a pinned vertex is at the end of the next step. */
  movePin(body, vertex, target) {
    this.#engine.movePin(body, vertex, target);
  }
  pin(body, vertices) {
    this.#engine.setPins(body, vertices, true);
  }
  unpin(body, vertices) {
    this.#engine.setPins(body, vertices, false);
  }

  // What comes and goes

  add(body) {
    this.#engine.add(body);
  }
  remove(body) {
    this.#engine.remove(body);
  }
  setMaterial(body, material) {
    this.#engine.setMaterial(body, material);
  }
  attach(attachment) {
    this.#engine.attach(attachment);
  }
  addCollider(collider) {
    this.#engine.addCollider(collider);
  }
  replaceCollider(number, collider) {
    this.#engine.replaceCollider(number, collider);
  }
  removeCollider(number) {
    this.#engine.removeCollider(number);
  }

  // Scenes

  /** What a scene expects, and whether it holds. */
  verdicts() {
    return this.#engine.verdicts();
  }

  /** Frames of a scene: how many it wants, how many are done, how many there are in a second; undefined without a scene. */
  get frames() {
    return this.#engine.frames();
  }
}

// Scenes

/** Names of the scenes that come with Pliant. */
export const builtinScenes = () => engine().builtinScenes();

/** A scene file, read and checked. */
export class Scene {
  #overrides;

  constructor(text, name, overrides) {
    this.#overrides = Object.entries(overrides).map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
    Object.assign(this, { text, name }, engine().checkScene(name, text, this.#overrides));
  }

  /** Reads the text of a scene file; an error has its line and column. */
  static parse(text, { name = 'scene.toml', overrides = {} } = {}) {
    return new Scene(text, name, overrides);
  }

  static builtin(name, { overrides = {} } = {}) {
    return new Scene(engine().builtinScene(name), `${name}.toml`, overrides);
  }

  /** Builds the simulation. More vertices than this are an error, before anything is allocated. */
  simulation({ mostVertices = 1e6 } = {}) {
    return new Simulation(engine().Core.load(this.name, this.text, this.#overrides, mostVertices));
  }
}
