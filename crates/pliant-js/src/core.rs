//! A running world: of bodies, or of a scene.

use js_sys::{Array, Float64Array, Uint32Array};
use pliant::math::Vec3;
use pliant::{BodyId, Checkpoint, Clock, ColliderId, GrabId, Ray, RenderBuffers, SettleParams, Simulation, StepError};
use pliant_scene::{Scene, SceneRun};
use wasm_bindgen::prelude::*;

use crate::body::body;
use crate::collider::collider;
use crate::fault::Fault;
use crate::material::changed;
use crate::mesh::flat;
use crate::options::{indices, number, object, points, vector};
use crate::report;
use crate::scene::scene_of;
use crate::settings::{Attachment, attachment, solver, wind, world};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

fn clock() -> Clock {
    Clock::new(|| 1e-3 * now())
}

/// What runs.
enum Run {
    World(Box<Simulation>),
    Scene { run: Box<SceneRun>, scene: Box<Scene> },
}

/// The engine behind `Simulation`.
#[wasm_bindgen]
pub struct Core {
    run: Run,
    buffers: RenderBuffers,
    /// Where between the last two steps the buffers are; none before they are filled.
    blended: Option<f64>,
    /// Grabs by the numbers that JavaScript knows them by.
    grabs: Vec<GrabId>,
}

impl Core {
    fn new(run: Run) -> Self {
        let mut core = Self { run, buffers: RenderBuffers::default(), blended: None, grabs: Vec::new() };
        core.stepped();
        core
    }

    fn sim(&self) -> &Simulation {
        match &self.run {
            Run::World(sim) => sim,
            Run::Scene { run, .. } => &run.sim,
        }
    }

    /// The world, to be changed.
    fn change(&mut self) -> &mut Simulation {
        self.blended = None;
        match &mut self.run {
            Run::World(sim) => sim,
            Run::Scene { run, .. } => &mut run.sim,
        }
    }

    /// Takes the state for drawing.
    fn stepped(&mut self) {
        let sim = match &self.run {
            Run::World(sim) => sim,
            Run::Scene { run, .. } => &*run.sim,
        };
        self.buffers.advance(sim);
        self.blended = None;
    }

    /// Forgets the state before the last: what is drawn is what is there.
    fn replaced(&mut self) {
        self.stepped();
        self.stepped();
    }

    fn step_once(&mut self) -> Result<pliant::StepReport, StepError> {
        let report = match &mut self.run {
            Run::World(sim) => sim.step(),
            Run::Scene { run, .. } => run.step(),
        };
        self.stepped();
        report
    }

    fn blend(&mut self, share: f64) {
        if self.blended != Some(share) {
            let sim = match &self.run {
                Run::World(sim) => sim,
                Run::Scene { run, .. } => &*run.sim,
            };
            self.buffers.blend(sim, share);
            self.blended = Some(share);
        }
    }

    fn body_id(&self, name: &str) -> Result<BodyId, Fault> {
        self.sim().body_id(name).ok_or_else(|| {
            let names: Vec<&str> = self.sim().model().bodies().iter().map(|body| body.name.as_str()).collect();
            Fault::new(format!("there is no body {name:?}; there are {}", names.join(", ")))
        })
    }

    fn collider_id(&self, number: f64) -> Result<ColliderId, Fault> {
        let ids = self.sim().collider_ids();
        let found = (number >= 0.0 && number.fract() == 0.0).then(|| ids.get(number as usize)).flatten();
        found.copied().ok_or_else(|| Fault::new(format!("there is no collider {number}; there are {}", ids.len())))
    }

    fn grab_id(&self, grab: usize) -> Result<GrabId, Fault> {
        self.grabs.get(grab).copied().ok_or_else(|| Fault::new("this grab is of another simulation"))
    }
}

/// Builds a world from its description.
fn built(description: &JsValue) -> Result<Simulation, Fault> {
    world(Simulation::builder().clock(clock()), description)?.build().map_err(Fault::new)
}

#[wasm_bindgen]
impl Core {
    /// Builds a world from its description.
    pub fn build(description: &JsValue) -> Result<Core, JsValue> {
        Ok(Self::new(Run::World(Box::new(built(description)?))))
    }

    /// Builds a scene from its text.
    pub fn load(name: &str, text: &str, overrides: &JsValue, most: f64) -> Result<Core, JsValue> {
        let load = || {
            let scene = scene_of(name, text, overrides)?.with_most_vertices(most as u64);
            let run = scene.build_with(|builder| builder.clock(clock()))?;
            Ok::<_, Fault>(Run::Scene { run: Box::new(run), scene: Box::new(scene) })
        };
        Ok(Self::new(load()?))
    }

    /// Takes steps and returns the report of the last.
    pub fn step(&mut self, count: f64) -> Result<JsValue, JsValue> {
        if !((1.0..=1e9).contains(&count) && count.fract() == 0.0) {
            return Err(Fault::new(format!("count is {count}, but must be a whole number from 1 to 1e9")).into());
        }
        let mut last = JsValue::UNDEFINED;
        for k in 0..count as u64 {
            let report = self.step_once().map_err(Fault::new)?;
            if k + 1 == count as u64 {
                last = report::step(&report);
            }
        }
        Ok(last)
    }

    /// Takes the steps of a frame of a scene, or one step of a world.
    #[wasm_bindgen(js_name = nextFrame)]
    pub fn next_frame(&mut self) -> Result<Array, JsValue> {
        let reports = match &mut self.run {
            Run::World(sim) => sim.step().map(|report| vec![report]),
            Run::Scene { run, .. } => run.next_frame(),
        };
        self.stepped();
        Ok(reports.map_err(Fault::new)?.iter().map(report::step).collect())
    }

    /// Brings the world to rest; steps taken and the residual.
    pub fn settle(&mut self, tolerance: &JsValue) -> Result<JsValue, JsValue> {
        let mut params = SettleParams::default();
        if !tolerance.is_undefined() {
            params.tolerance = number(tolerance, "tolerance")?;
        }
        let settled = match &mut self.run {
            Run::World(sim) => sim.settle(&params),
            Run::Scene { run, .. } => run.settle(&params),
        };
        self.replaced();
        let settled = settled.map_err(Fault::new)?;
        Ok(object([("steps", (settled.steps as f64).into()), ("residual", settled.residual.into())]))
    }

    /// Fills what is drawn, at a share of the way between the last two steps; where positions and normals are in memory, and how many points.
    pub fn draw(&mut self, share: f64) -> Result<Vec<u32>, JsValue> {
        if !(0.0..=1.0).contains(&share) {
            return Err(Fault::new(format!("share is {share}, but must be 0 to 1")).into());
        }
        self.blend(share);
        let (positions, normals) = (self.buffers.positions(), self.buffers.normals());
        Ok(vec![positions.as_ptr() as u32, normals.as_ptr() as u32, positions.len() as u32])
    }

    /// Positions in double precision.
    pub fn positions(&self) -> Float64Array {
        flat(self.sim().positions())
    }

    pub fn velocities(&self) -> Float64Array {
        flat(self.sim().velocities())
    }

    #[wasm_bindgen(js_name = setState)]
    pub fn set_state(&mut self, positions: &JsValue, velocities: &JsValue) -> Result<(), JsValue> {
        let read = |value: &JsValue, name: &str, now: &[Vec3]| {
            if value.is_undefined() { Ok(now.to_vec()) } else { points(value, name) }
        };
        let x = read(positions, "positions", self.sim().positions())?;
        let v = read(velocities, "velocities", self.sim().velocities())?;
        self.change().set_state(&x, &v).map_err(Fault::new)?;
        self.replaced();
        Ok(())
    }

    #[wasm_bindgen(js_name = setForces)]
    pub fn set_forces(&mut self, forces: &JsValue) -> Result<(), JsValue> {
        let forces = points(forces, "forces")?;
        Ok(self.change().set_forces(&forces).map_err(Fault::new)?)
    }

    #[wasm_bindgen(getter)]
    pub fn time(&self) -> f64 {
        self.sim().time()
    }

    #[wasm_bindgen(getter)]
    pub fn steps(&self) -> f64 {
        self.sim().state().step as f64
    }

    #[wasm_bindgen(getter, js_name = timeStep)]
    pub fn time_step(&self) -> f64 {
        self.sim().time_step()
    }

    #[wasm_bindgen(js_name = setTimeStep)]
    pub fn set_time_step(&mut self, seconds: f64) -> Result<(), JsValue> {
        Ok(self.change().set_time_step(seconds).map_err(Fault::new)?)
    }

    #[wasm_bindgen(getter)]
    pub fn gravity(&self) -> JsValue {
        report::triple(self.sim().gravity())
    }

    #[wasm_bindgen(js_name = setGravity)]
    pub fn set_gravity(&mut self, gravity: &JsValue) -> Result<(), JsValue> {
        let gravity = vector(gravity, "gravity")?;
        Ok(self.change().set_gravity(gravity).map_err(Fault::new)?)
    }

    #[wasm_bindgen(js_name = setWind)]
    pub fn set_wind(&mut self, given: &JsValue) -> Result<(), JsValue> {
        let wind = (!given.is_undefined() && !given.is_null()).then(|| wind(given, "wind")).transpose()?;
        Ok(self.change().set_wind(wind).map_err(Fault::new)?)
    }

    #[wasm_bindgen(js_name = setSolver)]
    pub fn set_solver(&mut self, given: &JsValue) -> Result<(), JsValue> {
        let solver = solver(given, "solver")?;
        Ok(self.change().set_solver(solver).map_err(Fault::new)?)
    }

    #[wasm_bindgen(js_name = solverOf)]
    pub fn solver_of(&self, body: &str) -> Result<String, JsValue> {
        Ok(self.sim().solver_of(body).map_err(Fault::new)?.to_string())
    }

    /// How often vertices and triangles have changed: by tearing, by cuts, by bodies that come and go.
    #[wasm_bindgen(getter, js_name = topologyChanges)]
    pub fn topology_changes(&self) -> f64 {
        self.sim().topology_changes() as f64
    }

    /// Names of bodies with their first vertex and their number of vertices.
    pub fn bodies(&self) -> Array {
        let all = self.sim().model().bodies().iter();
        let shown = all.map(|body| {
            object([
                ("name", body.name.as_str().into()),
                ("first", (body.vertices.start as f64).into()),
                ("count", (body.vertices.len() as f64).into()),
            ])
        });
        shown.collect()
    }

    /// Triangles of all surfaces, or of that of one body, in vertices of the world.
    pub fn triangles(&self, body: Option<String>) -> Result<Uint32Array, JsValue> {
        let all: Vec<u32> = match body {
            Some(name) => self.sim().body(&name).map_err(Fault::new)?.surface.as_flattened().to_vec(),
            None => self.sim().model().bodies().iter().flat_map(|body| body.surface.as_flattened()).copied().collect(),
        };
        Ok(Uint32Array::from(&all[..]))
    }

    /// Segments of all strands, in vertices of the world.
    pub fn segments(&self) -> Uint32Array {
        let all = self.sim().model().bodies().iter().flat_map(|body| body.segments.as_flattened());
        Uint32Array::from(&all.copied().collect::<Vec<u32>>()[..])
    }

    pub fn pinned(&self) -> Uint32Array {
        Uint32Array::from(self.sim().model().pinned())
    }

    /// The vertex that a ray points at, if there is one.
    pub fn pick(&self, origin: &JsValue, direction: &JsValue, radius: &JsValue) -> Result<JsValue, JsValue> {
        let ray = Ray { origin: vector(origin, "origin")?, direction: vector(direction, "direction")? };
        let radius = if radius.is_undefined() { 0.0 } else { number(radius, "radius")? };
        let picked = self.sim().pick(ray, radius).map_err(Fault::new)?;
        Ok(picked.map_or(JsValue::NULL, |pick| {
            object([
                ("body", pick.body.into()),
                ("vertex", pick.vertex.into()),
                ("point", report::triple(pick.point)),
                ("distance", pick.distance.into()),
            ])
        }))
    }

    pub fn grab(&mut self, body: &str, vertex: &JsValue, stiffness: &JsValue) -> Result<usize, JsValue> {
        let (vertex, stiffness) = (crate::options::index(vertex, "vertex")?, number(stiffness, "stiffness")?);
        let grab = self.change().grab(body, vertex, stiffness).map_err(Fault::new)?;
        self.grabs.push(grab);
        Ok(self.grabs.len() - 1)
    }

    #[wasm_bindgen(js_name = moveGrab)]
    pub fn move_grab(&mut self, grab: usize, target: &JsValue) -> Result<(), JsValue> {
        let (grab, target) = (self.grab_id(grab)?, vector(target, "target")?);
        Ok(self.change().move_grab(grab, target).map_err(Fault::new)?)
    }

    pub fn release(&mut self, grab: usize) -> Result<(), JsValue> {
        let grab = self.grab_id(grab)?;
        Ok(self.change().release(grab).map_err(Fault::new)?)
    }

    /// Where a pinned vertex is at the end of the next step.
    #[wasm_bindgen(js_name = movePin)]
    pub fn move_pin(&mut self, body: &str, vertex: &JsValue, target: &JsValue) -> Result<(), JsValue> {
        let (vertex, target) = (crate::options::index(vertex, "vertex")?, vector(target, "target")?);
        Ok(self.change().move_pin(body, vertex, target).map_err(Fault::new)?)
    }

    #[wasm_bindgen(js_name = setPins)]
    pub fn set_pins(&mut self, body: &str, vertices: &JsValue, pinned: bool) -> Result<(), JsValue> {
        let (id, vertices) = (self.body_id(body)?, indices(vertices, "vertices")?);
        let sim = self.change();
        Ok(if pinned { sim.pin(id, &vertices) } else { sim.unpin(id, &vertices) }.map_err(Fault::new)?)
    }

    pub fn add(&mut self, description: &JsValue) -> Result<(), JsValue> {
        let body = body(description, "body")?;
        self.change().add(body).map_err(Fault::new)?;
        self.replaced();
        Ok(())
    }

    pub fn remove(&mut self, name: &str) -> Result<(), JsValue> {
        let id = self.body_id(name)?;
        self.change().remove(id).map_err(Fault::new)?;
        self.replaced();
        Ok(())
    }

    #[wasm_bindgen(js_name = setMaterial)]
    pub fn set_material(&mut self, name: &str, given: &JsValue) -> Result<(), JsValue> {
        let (id, material) = (self.body_id(name)?, changed(given)?);
        Ok(self.change().set_material(id, material).map_err(Fault::new)?)
    }

    #[wasm_bindgen(js_name = addCollider)]
    pub fn add_collider(&mut self, description: &JsValue) -> Result<(), JsValue> {
        let collider = collider(description, "collider")?;
        self.change().add_collider(collider).map_err(Fault::new)?;
        Ok(())
    }

    #[wasm_bindgen(js_name = replaceCollider)]
    pub fn replace_collider(&mut self, number: f64, description: &JsValue) -> Result<(), JsValue> {
        let (id, collider) = (self.collider_id(number)?, collider(description, "collider")?);
        Ok(self.change().replace_collider(id, collider).map_err(Fault::new)?)
    }

    #[wasm_bindgen(js_name = removeCollider)]
    pub fn remove_collider(&mut self, number: f64) -> Result<(), JsValue> {
        let id = self.collider_id(number)?;
        Ok(self.change().remove_collider(id).map_err(Fault::new)?)
    }

    pub fn attach(&mut self, description: &JsValue) -> Result<(), JsValue> {
        let Attachment { ends: [first, second], stiffness, keeps_distance } = attachment(description, "attachment")?;
        let ends = [(self.body_id(&first.0)?, first.1), (self.body_id(&second.0)?, second.1)];
        let sim = self.change();
        let attached = match keeps_distance {
            true => sim.attach_at_distance(ends[0], ends[1], stiffness),
            false => sim.attach(ends[0], ends[1], stiffness),
        };
        attached.map_err(Fault::new)?;
        Ok(())
    }

    /// Energies and momenta.
    pub fn report(&self) -> JsValue {
        report::energies(&self.sim().report())
    }

    /// What a scene expects, and whether it holds.
    pub fn verdicts(&self) -> Array {
        let Run::Scene { run, .. } = &self.run else { return Array::new() };
        let shown = run.verdicts().into_iter().map(|verdict| {
            let bound = |value: Option<f64>| value.map_or(JsValue::NULL, JsValue::from_f64);
            object([
                ("quantity", verdict.expect.quantity.name().into()),
                ("body", verdict.expect.body.as_deref().map_or(JsValue::NULL, JsValue::from_str)),
                ("below", bound(verdict.expect.below)),
                ("above", bound(verdict.expect.above)),
                ("value", verdict.value.into()),
                ("holds", verdict.holds().into()),
            ])
        });
        shown.collect()
    }

    /// Frames that a scene wants, frames done, and frames per second; undefined without a scene.
    pub fn frames(&self) -> JsValue {
        match &self.run {
            Run::World(_) => JsValue::UNDEFINED,
            Run::Scene { run, scene } => object([
                ("frames", scene.frames().into()),
                ("frame", run.frame().into()),
                ("frameRate", scene.frame_rate().into()),
            ]),
        }
    }

    /// A number that states with the same bits share.
    #[wasm_bindgen(js_name = stateHash)]
    pub fn state_hash(&self) -> String {
        format!("{:016x}", self.sim().state_hash())
    }

    /// Everything that changes, as bytes.
    pub fn checkpoint(&self) -> Vec<u8> {
        match &self.run {
            Run::World(sim) => sim.checkpoint().to_bytes(),
            Run::Scene { run, .. } => run.save(),
        }
    }

    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        let restored = match &mut self.run {
            Run::World(sim) => Checkpoint::from_bytes(bytes).and_then(|saved| sim.restore(&saved)),
            Run::Scene { run, .. } => run.restore(bytes),
        };
        restored.map_err(Fault::new)?;
        self.replaced();
        Ok(())
    }
}
