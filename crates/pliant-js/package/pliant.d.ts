/// <reference lib="esnext.disposable" />
// Units are SI throughout, angles are in degrees, and the y axis points up.

/** Three numbers, in metres unless it says otherwise. */
export type Vector = readonly [number, number, number] | Float32Array | Float64Array | readonly number[];
/** Numbers one after the other, or lists of three. */
export type Coordinates = ArrayLike<number> | readonly (readonly number[])[];
/** Numbers of vertices one after the other, or lists of corners. */
export type Corners = ArrayLike<number> | readonly (readonly number[])[];
export type Indices = ArrayLike<number>;

/** What goes wrong, in the engine's words. */
export class PliantError extends Error {
  /** Line of a scene, from 1. */
  readonly line?: number;
  /** Column in that line, from 1. */
  readonly column?: number;
  constructor(message: string, line?: number, column?: number);
}

/**
 * Loads the engine; everything else comes after it. In Node and in browsers it finds `pliant_bg.wasm` beside the module; `source` is for where that is not so.
 * Further calls wait for the first.
 */
export default function init(source?: RequestInfo | URL | Response | BufferSource | WebAssembly.Module): Promise<void>;

// Meshes

declare abstract class Mesh {
  /** x, y, z after x, y, z [m]. */
  positions: Float64Array;
  readonly vertexCount: number;
  /** The vertices for which a function is true. */
  select(condition: (x: number, y: number, z: number, vertex: number) => boolean): Uint32Array;
  translated(by: Vector): this;
  scaled(by: number | Vector): this;
  /** Turned about an axis through the origin. */
  rotated(axis: Vector, degrees: number): this;
}

export class TriangleMesh extends Mesh {
  readonly kind: 'triangles';
  triangles: Uint32Array;
  constructor(positions: Coordinates, triangles: Corners);
  /** Fills what a closed surface encloses with tets: about `cells` (10) along its longest side. */
  fill(options?: { cells?: number }): TetMesh;
}

/** A sheet, with its vertices in columns and rows. */
export class Sheet extends TriangleMesh {
  readonly columns: number;
  readonly rows: number;
  /** The vertex in a column and a row; negative ones count from the last. */
  vertex(column: number, row: number): number;
}

export class TetMesh extends Mesh {
  readonly kind: 'tets';
  tets: Uint32Array;
  constructor(positions: Coordinates, tets: Corners);
  /** Its surface, and for each vertex of that the vertex of the solid. */
  surface(): { mesh: TriangleMesh; vertices: Uint32Array };
}

export class Strands extends Mesh {
  readonly kind: 'strands';
  /** The vertices of each strand. */
  strands: Uint32Array[];
  constructor(positions: Coordinates, strands: readonly Indices[]);
}

export class Points extends Mesh {
  readonly kind: 'points';
  constructor(positions: Coordinates);
}

export function sheet(options?: {
  width?: number;
  height?: number;
  columns?: number;
  rows?: number;
  diagonals?: 'forward' | 'backward' | 'alternating' | 'cross';
  /** "xy" (the default) stands, "xz" lies. */
  plane?: 'xy' | 'xz';
}): Sheet;
export function disc(options?: { radius?: number; rings?: number; sectors?: number; plane?: 'xy' | 'xz' }): TriangleMesh;
export function sphere(options?: { radius?: number; subdivisions?: number }): TriangleMesh;
export function cylinder(options?: {
  radius?: number;
  height?: number;
  segments?: number;
  rings?: number;
  closed?: boolean;
}): TriangleMesh;
export function torus(options?: {
  majorRadius?: number;
  minorRadius?: number;
  majorSegments?: number;
  minorSegments?: number;
}): TriangleMesh;
/** A block of tets. */
export function box(options?: {
  size?: Vector;
  cells?: readonly number[];
  pattern?: 'kuhn' | 'five' | 'body-centred';
}): TetMesh;
export function rope(options: { start: Vector; end: Vector; segments?: number }): Strands;
/** Straight strands that begin on a disc. */
export function bundle(options?: {
  radius?: number;
  strands?: number;
  direction?: Vector;
  length?: number;
  segments?: number;
}): Strands;
/** Hair on the upper part of a ball. */
export function scalp(options?: {
  radius?: number;
  cover?: number;
  strands?: number;
  length?: number;
  segments?: number;
}): Strands;
/** The mesh in the bytes of a file (OBJ, PLY, STL, glTF, VTK, MSH and others); its name tells the format. */
export function readMesh(
  name: string,
  bytes: Uint8Array | ArrayBuffer,
  options?: { scale?: number; up?: 'x' | 'y' | 'z'; weld?: boolean },
): TriangleMesh | TetMesh | Strands | Points;

// Materials

export interface ClothOptions {
  preset?: 'cotton' | 'silk' | 'denim' | 'paper' | 'rubber-sheet';
  /** [kg/m²] */
  density?: number;
  /** [Pa] */
  youngsModulus?: number;
  /** [m] */
  thickness?: number;
  poissonRatio?: number;
  bendModel?: 'auto' | 'plate' | 'hinge' | 'mean-curvature' | 'none';
  /** [J]; null: from Young's modulus and thickness. */
  bendingStiffness?: number | null;
  mass?: 'lumped' | 'consistent';
}
export class ClothMaterial {
  readonly kind: 'cloth';
  density: number;
  youngsModulus: number;
  thickness: number;
  poissonRatio: number;
  bendModel: NonNullable<ClothOptions['bendModel']>;
  bendingStiffness: number | null;
  mass: 'lumped' | 'consistent';
  constructor(options?: ClothOptions);
  static preset(name: NonNullable<ClothOptions['preset']>, changes?: Omit<ClothOptions, 'preset'>): ClothMaterial;
}

export interface SolidOptions {
  preset?: 'jelly' | 'rubber' | 'foam' | 'wood';
  /** [kg/m³] */
  density?: number;
  /** [Pa] */
  youngsModulus?: number;
  poissonRatio?: number;
  mass?: 'lumped' | 'consistent';
}
export class SolidMaterial {
  readonly kind: 'solid';
  density: number;
  youngsModulus: number;
  poissonRatio: number;
  mass: 'lumped' | 'consistent';
  constructor(options?: SolidOptions);
  static preset(name: NonNullable<SolidOptions['preset']>, changes?: Omit<SolidOptions, 'preset'>): SolidMaterial;
}

export interface StrandOptions {
  preset?: 'cord' | 'thread' | 'cable';
  /** [kg/m] */
  density?: number;
  /** [N] */
  axialStiffness?: number;
  resistsCompression?: boolean;
  /** [m]; null: from the density. */
  width?: number | null;
  mass?: 'lumped' | 'consistent';
}
export class StrandMaterial {
  readonly kind: 'strand';
  density: number;
  axialStiffness: number;
  resistsCompression: boolean;
  width: number | null;
  mass: 'lumped' | 'consistent';
  constructor(options?: StrandOptions);
  static preset(name: NonNullable<StrandOptions['preset']>, changes?: Omit<StrandOptions, 'preset'>): StrandMaterial;
}

export interface RodOptions {
  /** [m] */
  radius?: number;
  /** [kg/m³] */
  density?: number;
  /** [Pa] */
  youngsModulus?: number;
  /** [Pa] */
  shearModulus?: number;
  keepsShape?: boolean;
}
/** Strands that resist bending and torsion; they need the position-based solver. */
export class RodMaterial implements Required<RodOptions> {
  readonly kind: 'rod';
  radius: number;
  density: number;
  youngsModulus: number;
  shearModulus: number;
  keepsShape: boolean;
  constructor(options?: RodOptions);
}

export interface RigidOptions {
  /** [kg/m³] */
  density?: number;
  /** [1/s] */
  frequency?: number;
}
export class RigidMaterial implements Required<RigidOptions> {
  readonly kind: 'rigid';
  density: number;
  frequency: number;
  constructor(options?: RigidOptions);
}

export interface FluidOptions {
  /** [kg/m³] */
  density?: number;
  /** Distance between particles at rest [m]. */
  spacing?: number;
  viscosity?: number;
  vorticity?: number;
  separation?: number;
}
/** Particles that keep their density; they need the position-based solver. */
export class FluidMaterial implements Required<FluidOptions> {
  readonly kind: 'fluid';
  density: number;
  spacing: number;
  viscosity: number;
  vorticity: number;
  separation: number;
  constructor(options?: FluidOptions);
}

// Worlds

export type SolverName = 'auto' | 'projective' | 'two-metric' | 'newton' | 'position-based' | 'follow-leader' | 'explicit';
/** A solver by its name, or with parameters. */
export type Solver =
  | SolverName
  | { kind: 'auto' }
  | {
      kind: 'projective';
      iterations?: number;
      tolerance?: number;
      /** Window of the acceleration; 0 switches it off. */
      anderson?: number;
      precision?: 'single' | 'double';
    }
  | {
      kind: 'two-metric';
      iterations?: number;
      linearIterations?: number;
      linearTolerance?: number;
      tolerance?: number;
    }
  | { kind: 'newton'; iterations?: number; tolerance?: number; lineSearch?: boolean }
  | {
      kind: 'position-based';
      iterations?: number;
      tolerance?: number;
      /** Share of each correction, 0 to 1, in place of the material's stiffness. */
      stiffness?: number;
    }
  | { kind: 'follow-leader'; correction?: number }
  | { kind: 'explicit'; safety?: number; stabilise?: boolean };

export interface Wind {
  /** [m/s] */
  velocity?: Vector;
  /** [kg/m³] */
  airDensity?: number;
  drag?: number;
  strandDrag?: number;
  strandFriction?: number;
  turbulence?: { strength?: number; length?: number; seed?: number };
}

export interface BodyOptions {
  name?: string;
  /** Vertices that stay where they are, or a function that picks them. */
  pin?: Indices | ((x: number, y: number, z: number, vertex: number) => boolean);
  /** Of all vertices [m/s]. */
  velocity?: Vector;
  /** Of each vertex [m/s]. */
  velocities?: Coordinates;
  /** Of a rigid body [rad/s]. */
  spin?: Vector;
  /** Where its vertices begin, if not at rest [m]. */
  positions?: Coordinates;
  /** Inside a closed surface [Pa]. */
  pressure?: number;
  /** Water flows through it. */
  permeable?: boolean;
  /** It tears at a principal stretch, or at a force [N]. */
  tearing?: { stretch: number; noise?: number } | { force: number; noise?: number };
  solver?: Solver;
}
/** A mesh of a material: cloth and rigid bodies of triangles, solids of tets, strands and rods of strands, fluids of points. */
export class Body {
  constructor(
    mesh: TriangleMesh | TetMesh | Strands | Points,
    material: ClothMaterial | SolidMaterial | StrandMaterial | RodMaterial | RigidMaterial | FluidMaterial,
    options?: BodyOptions,
  );
  /** The same body elsewhere, in its rest shape too. */
  translated(by: Vector): Body;
}

export interface Turn {
  axis: Vector;
  degrees: number;
}
export interface ColliderOptions {
  name?: string;
  at?: Vector;
  turned?: Turn;
  /** Where it is at moments [s]; it moves from one to the next. */
  keys?: readonly { time: number; at?: Vector; turned?: Turn }[];
  friction?: number;
  restitution?: number;
  /** Distance at which contact begins [m]. */
  thickness?: number;
}
/** An obstacle. */
export class Collider {
  private constructor();
  /** The half-space below y = 0 of its own axes. */
  static plane(options?: ColliderOptions): Collider;
  static sphere(radius: number, options?: ColliderOptions): Collider;
  /** About its own y axis; `length` is between the middles of its ends. */
  static capsule(radius: number, length: number, options?: ColliderOptions): Collider;
  static cylinder(radius: number, length: number, options?: ColliderOptions): Collider;
  static box(size: Vector, options?: ColliderOptions): Collider;
  static mesh(mesh: TriangleMesh, options?: ColliderOptions): Collider;
}

export interface Attachment {
  first: readonly [body: string, vertex: number];
  second: readonly [body: string, vertex: number];
  /** [N/m] */
  stiffness?: number;
  keepDistance?: boolean;
}

export interface SimulationOptions {
  /** [s] */
  timeStep?: number;
  substeps?: number;
  /** [m/s²] */
  gravity?: Vector;
  wind?: Wind;
  solver?: Solver;
  integrator?: 'implicit-euler' | 'bdf2' | 'tr-bdf2' | 'implicit-midpoint' | 'energy-keeping';
  damping?: {
    drag?: number;
    deformation?: number;
    stiffness?: number;
    spring?: number;
    radial?: number;
    cluster?: number;
  };
  colliders?: readonly Collider[];
  contact?: { mode?: 'constraint' | 'displacement' | 'constant-matrix'; weight?: number };
  /** Keeps surfaces and strands from passing through each other. */
  selfCollision?: { thickness?: number; friction?: number; rounds?: number; untangle?: boolean };
  /** Largest stretch, as length over rest length. */
  strainLimiting?: { most: number; iterations?: number };
  attachments?: readonly Attachment[];
  runawayLimit?: number;
}

export interface StepReport {
  step: number;
  /** At its end [s]. */
  time: number;
  iterations: number;
  converged: boolean;
  /** Unbalanced force over the largest; null where the solver does not compute forces. */
  residual: number | null;
  contacts: number;
  torn: number;
  seconds: number;
}

export interface Report {
  time: number;
  /** [J], by kind. */
  elastic: Record<string, number>;
  kinetic: number;
  gravitational: number;
  total: number;
  momentum: [number, number, number];
  angularMomentum: [number, number, number];
  centreOfMass: [number, number, number];
  maxSpeed: number;
}

export interface Pick {
  body: string;
  vertex: number;
  point: [number, number, number];
  distance: number;
}

/** A vertex that is held softly. */
export class Grab {
  private constructor();
  move(target: Vector): void;
  release(): void;
  [Symbol.dispose](): void;
}

/** Bodies that advance in time. */
export class Simulation {
  constructor(bodies: Body | readonly Body[], options?: SimulationOptions);
  /** Gives the memory back; the simulation cannot be used any more. */
  free(): void;
  [Symbol.dispose](): void;

  /** Takes steps and returns the report of the last. A step that fails throws, and changes nothing. */
  step(count?: number): StepReport;
  /** Takes all steps of a frame of a scene, or one step; their reports. */
  nextFrame(): StepReport[];
  /** Brings the world to rest. */
  settle(options?: { tolerance?: number }): { steps: number; residual: number };

  /**
   * The positions of all vertices, x, y, z after x, y, z: a view of the engine's own memory, without a copy. It is good until the simulation is next changed or
   * stepped; ask again then, which costs next to nothing: the same view comes back unless memory has moved.
   */
  readonly positions: Float32Array;
  /** Unit normals of surfaces at all vertices, as `positions`. */
  readonly normals: Float32Array;
  /** From now until the next step, `positions` and `normals` are at a share (0 to 1) of the way between the last two steps. */
  blend(share: number): void;
  /** Triangles of all surfaces, or of that of one body: a copy. They change when `topologyChanges` does. */
  triangles(body?: string): Uint32Array;
  /** Segments of all strands: a copy. */
  segments(): Uint32Array;
  readonly topologyChanges: number;
  /** Names of bodies with their first vertex and their number of vertices. */
  readonly bodies: { name: string; first: number; count: number }[];

  readonly time: number;
  readonly steps: number;
  timeStep: number;
  get gravity(): [number, number, number];
  set gravity(gravity: Vector);
  set wind(wind: Wind | null);
  set solver(solver: Solver);
  solverOf(body: string): string;
  readonly pinned: Uint32Array;
  /** Positions in double precision: a copy. */
  exactPositions(): Float64Array;
  velocities(): Float64Array;
  setPositions(positions: Coordinates): void;
  setVelocities(velocities: Coordinates): void;
  /** On each vertex [N], until set again. */
  setForces(forces: Coordinates): void;
  /** Energies and momenta. */
  report(): Report;
  /** The same text for states with the same bits. */
  readonly stateHash: string;
  checkpoint(): Uint8Array;
  restore(bytes: Uint8Array): void;

  /** The vertex nearest to where a ray meets a surface, or null; strands are met within `radius` [m]. */
  pick(origin: Vector, direction: Vector, options?: { radius?: number }): Pick | null;
  /** Holds a vertex softly by a spring [N/m]. */
  grab(body: string, vertex: number, options?: { stiffness?: number }): Grab;
  /** Where a pinned vertex is at the end of the next step. */
  movePin(body: string, vertex: number, target: Vector): void;
  pin(body: string, vertices: Indices): void;
  unpin(body: string, vertices: Indices): void;

  add(body: Body): void;
  remove(body: string): void;
  setMaterial(body: string, material: ClothMaterial | SolidMaterial | StrandMaterial): void;
  attach(attachment: Attachment): void;
  addCollider(collider: Collider): void;
  replaceCollider(number: number, collider: Collider): void;
  removeCollider(number: number): void;

  /** What a scene expects, and whether it holds. */
  verdicts(): { quantity: string; body: string | null; below: number | null; above: number | null; value: number; holds: boolean }[];
  /** Frames of a scene: how many it wants, how many are done, how many there are in a second; undefined without a scene. */
  readonly frames: { frames: number; frame: number; frameRate: number } | undefined;
}

// Scenes

/** Names of the scenes that come with Pliant. */
export function builtinScenes(): string[];

export interface SceneOptions {
  /** The name in errors. */
  name?: string;
  /** Values for keys, such as { "world.frames": 20 }. */
  overrides?: Record<string, unknown>;
}
/** A scene file, read and checked. */
export class Scene {
  private constructor();
  readonly text: string;
  readonly name: string;
  readonly frames: number;
  readonly frameRate: number;
  /** Reads the text of a scene file; an error has its line and column. */
  static parse(text: string, options?: SceneOptions): Scene;
  static builtin(name: string, options?: Omit<SceneOptions, 'name'>): Scene;
  /** Builds the simulation. More vertices than `mostVertices` (a million) are an error, before anything is allocated. */
  simulation(options?: { mostVertices?: number }): Simulation;
}
