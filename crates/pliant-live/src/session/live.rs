//! A running scene.

use std::collections::HashMap;

use pliant::math::{Vec3, diagonal};
use pliant::mesh::Bounds;
use pliant::solve::SolverChoice;
use pliant::{AnyMaterial, Clock, StepReport, Wind};
use pliant_scene::{Look, Scene, SceneError, SceneRun};

use super::hands::{Hands, ray};
use super::look::{Bodies, Scale, bounds, colliders, ground, poses, single, viewpoint};
use super::outbox::Outbox;
use super::{controls, scene_notice, things, tools};
use crate::protocol::{
    BodyControls, Change, Coloring, Command, Controls, Energies, Event, Frame, Layout, Measured, Severity, Sight,
    SolverKind, Thing,
};

/// Size of what is dropped, as a share of the diagonal of the world.
const THING: f64 = 0.12;
/// How far above what it falls on a thing begins, in its own sizes.
const ABOVE: f64 = 1.5;

/// A running scene.
#[derive(Debug)]
pub(super) struct Live {
    scene: Scene,
    run: SceneRun,
    clock: Clock,
    look: Look,
    /// At the start.
    bounds: Bounds,
    /// The world's diagonal at rest \[m\].
    diagonal: f64,
    bodies: Option<Bodies>,
    /// Changes of the topology that were told.
    seen_changes: usize,
    hands: Hands,
    settings: Settings,
    /// Materials as the scene has them, by the names of bodies.
    materials: HashMap<String, AnyMaterial>,
    /// The solver as the scene has it.
    of_scene: SolverChoice,
    suited: Vec<SolverKind>,
    has_wind: bool,
    standard_wind: Wind,
    scale: Scale,
    last: Option<StepReport>,
    steps: u64,
    is_stopped: bool,
    layout_changed: bool,
    controls_changed: bool,
}

/// What a user has set; kept when the scene begins anew.
#[derive(Debug, Clone, Default)]
struct Settings {
    kind: Option<SolverKind>,
    iterations: Option<u32>,
    substeps: Option<u32>,
    gravity: Option<[f64; 3]>,
    wind: Option<[f64; 3]>,
    factors: HashMap<String, f64>,
    grip: Option<f64>,
    coloring: Coloring,
}

impl Live {
    pub(super) fn new(scene: Scene, clock: Clock) -> Result<Self, SceneError> {
        let look = scene.look()?;
        let mut run = scene.build_with(|builder| builder.clock(clock.clone()))?;
        let sim = &mut *run.sim;
        let materials = sim.model().bodies().iter().filter_map(|body| {
            let material = sim.material(sim.body_id(&body.name)?).ok()??;
            Some((body.name.clone(), material))
        });
        let materials = materials.collect();
        let of_scene = sim.solver_choice().clone();
        // Whether anything catches wind is found out by trying.
        let wind = sim.wind();
        let standard_wind = wind.unwrap_or_else(|| Wind::new(Vec3::ZERO));
        let has_wind = sim.set_wind(Some(standard_wind)).is_ok() && sim.set_wind(wind).is_ok();
        let suited = controls::suited(sim, &of_scene);
        let seen = run.stored_frame().positions.into_owned();
        Ok(Self {
            bounds: bounds(&seen, run.sim.colliders()),
            diagonal: diagonal(&run.topology().rest),
            seen_changes: run.topology_changes(),
            scene,
            run,
            clock,
            look,
            bodies: None,
            hands: Hands::default(),
            settings: Settings::default(),
            materials,
            of_scene,
            suited,
            has_wind,
            standard_wind,
            scale: Scale::default(),
            last: None,
            steps: 0,
            is_stopped: false,
            layout_changed: false,
            controls_changed: false,
        })
    }

    /// Begins anew; what the user has set stays.
    pub(super) fn restart(&mut self) -> Result<(), SceneError> {
        let settings = self.settings.clone();
        *self = Self::new(self.scene.clone(), self.clock.clone())?;
        self.settings.coloring = settings.coloring;
        self.settings.grip = settings.grip;
        let mut changes: Vec<Change> = Vec::new();
        changes.extend(settings.gravity.map(Change::Gravity));
        changes.extend(settings.wind.map(Change::Wind));
        changes.extend(settings.substeps.map(Change::Substeps));
        changes.extend(settings.kind.map(Change::Solver));
        changes.extend(settings.iterations.map(Change::Iterations));
        changes.extend(settings.factors.into_iter().map(|(body, factor)| Change::Stiffness { body, factor }));
        // What could be set once can be set again, but for bodies that were dropped in, which have gone.
        changes.into_iter().for_each(|change| drop(self.change(change)));
        Ok(())
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    pub(super) fn step_seconds(&self) -> f64 {
        self.run.sim.time_step()
    }

    /// Whether the layout and the controls have changed since this was asked.
    pub(super) fn take_changes(&mut self) -> (bool, bool) {
        let changes = (self.layout_changed, self.controls_changed);
        (self.layout_changed, self.controls_changed) = (false, false);
        changes
    }

    /// Takes a step; whether there can be another.
    pub(super) fn step(&mut self, outbox: &mut Outbox) -> bool {
        if self.is_stopped {
            return false;
        }
        match self.run.step() {
            Ok(report) => {
                self.last = Some(report);
                self.steps += 1;
            }
            Err(error) => {
                self.is_stopped = true;
                outbox.notice(Severity::Stopped, error);
            }
        }
        self.notice_topology();
        outbox.frame_is_due();
        !self.is_stopped
    }

    /// Elements may have been torn, cut, or come.
    fn notice_topology(&mut self) {
        if self.run.topology_changes() != self.seen_changes {
            self.seen_changes = self.run.topology_changes();
            (self.layout_changed, self.controls_changed) = (true, true);
        }
    }

    pub(super) fn handle(&mut self, command: Command, outbox: &mut Outbox) {
        let refused = match command {
            Command::Grab { pointer, sight, radius } => self.grab(pointer, sight, radius, outbox),
            Command::Drag { pointer, target } => match self.hands.drag(&mut self.run.sim, pointer, target) {
                Ok(true) => Ok(()),
                Ok(false) => {
                    outbox.say(Event::Released { pointer });
                    Ok(())
                }
                Err(error) => Err(error.to_string()),
            },
            Command::Release { pointer } => {
                self.hands.release(&mut self.run.sim, pointer);
                Ok(())
            }
            Command::Cut { stroke } => self.cut(&stroke, outbox),
            Command::Drop { thing, sight } => self.drop_in(thing, sight, outbox),
            Command::Change(change) => self.change(change),
            Command::Color(coloring) => {
                self.settings.coloring = coloring;
                self.scale = Scale::default();
                self.controls_changed = true;
                outbox.frame_is_due();
                Ok(())
            }
            Command::Seek(_) => Err("only stored runs have frames to go to".to_owned()),
            // Others are those of the session.
            _ => Ok(()),
        };
        if let Err(text) = refused {
            outbox.notice(Severity::Refused, text);
            // A slider that was moved goes back.
            self.controls_changed = true;
        }
    }

    fn grab(&mut self, pointer: u64, sight: Sight, radius: f64, outbox: &mut Outbox) -> Result<(), String> {
        let grip = self.settings.grip.unwrap_or(1.0);
        match self.hands.grab(&mut self.run.sim, pointer, sight, radius, grip) {
            Ok(Some(pick)) => {
                let vertex = self.shown_vertex(&pick.body, pick.vertex);
                let point = pick.point.to_array();
                outbox.say(Event::Grabbed { pointer, body: pick.body, vertex, point });
                Ok(())
            }
            Ok(None) => {
                outbox.say(Event::Released { pointer });
                Ok(())
            }
            Err(error) => {
                outbox.say(Event::Released { pointer });
                Err(error.to_string())
            }
        }
    }

    /// A vertex of a body as frames number it. Surfaces that ride along come after the vertices of their body, or in their place.
    fn shown_vertex(&self, body: &str, vertex: u32) -> u32 {
        let range = self.run.topology().bodies.iter().find(|own| own.name == body).map(|own| own.vertices.clone());
        range.map_or(0, |range| range.start as u32 + vertex.min(range.len().saturating_sub(1) as u32))
    }

    fn cut(&mut self, stroke: &[Sight], outbox: &mut Outbox) -> Result<(), String> {
        let cut = tools::cut_along(&self.run.sim, stroke).map_err(|error| error.to_string())?;
        let cut = cut.ok_or("the stroke meets nothing")?;
        let names: Vec<String> = self.run.sim.model().bodies().iter().map(|body| body.name.clone()).collect();
        let (mut length, mut refused) = (0.0, None);
        for name in &names {
            match self.run.cut(name, &cut) {
                Ok(report) => length += report.length,
                Err(error) => refused = Some(error.to_string()),
            }
        }
        self.notice_topology();
        if length > 0.0 {
            outbox.notice(Severity::Info, format!("cut along {:.0} cm", 100.0 * length));
            outbox.frame_is_due();
            return Ok(());
        }
        Err(refused.unwrap_or_else(|| "the stroke meets no cloth".to_owned()))
    }

    fn drop_in(&mut self, thing: Thing, sight: Sight, outbox: &mut Outbox) -> Result<(), String> {
        let size = (THING * self.bounds.diagonal()).max(1e-3);
        let met = self.run.sim.pick(ray(sight), size).map_err(|error| error.to_string())?;
        let place =
            met.map_or(self.bounds.centre().with_y(self.bounds.max.y), |pick| pick.point) + Vec3::Y * ABOVE * size;
        let name = things::free_name(thing, self.run.topology().bodies.iter().map(|body| body.name.as_str()));
        let text = things::scene_of(thing, &name, size, place);
        let scene = Scene::parse("dropped.toml", &text, &[]);
        scene.and_then(|scene| self.run.add_bodies(&scene)).map_err(|error| scene_notice(&error).text)?;
        self.notice_topology();
        outbox.frame_is_due();
        Ok(())
    }

    fn change(&mut self, change: Change) -> Result<(), String> {
        self.controls_changed = true;
        let sim = &mut *self.run.sim;
        match change {
            Change::Gravity(gravity) => {
                sim.set_gravity(Vec3::from_array(gravity)).map_err(|error| error.to_string())?;
                self.settings.gravity = Some(gravity);
            }
            Change::Wind(velocity) => {
                let wind = Wind { velocity: Vec3::from_array(velocity), ..self.standard_wind };
                let wind = (velocity != [0.0; 3]).then_some(wind);
                self.run.set_wind(wind).map_err(|error| error.to_string())?;
                self.settings.wind = Some(velocity);
            }
            Change::Solver(kind) => {
                let solver = controls::choice(kind, &self.of_scene);
                sim.set_solver(solver).map_err(|error| error.to_string())?;
                (self.settings.kind, self.settings.iterations) = (Some(kind), None);
            }
            Change::Iterations(count) => {
                let solver = controls::with_iterations(sim.solver_choice(), count as usize);
                let solver = solver.ok_or("this solver has no number of iterations")?;
                sim.set_solver(solver).map_err(|error| error.to_string())?;
                self.settings.iterations = Some(count);
            }
            Change::Substeps(count) => {
                sim.set_substeps(count as usize).map_err(|error| error.to_string())?;
                self.settings.substeps = Some(count);
            }
            Change::Stiffness { body, factor } => {
                if !(factor.is_finite() && factor > 0.0) {
                    return Err(format!(
                        "the stiffness of {body:?} is {factor} times its own, but must be positive and finite"
                    ));
                }
                let material = self.materials.get(&body).ok_or_else(|| format!("{body:?} has no stiffness to set"))?;
                let id = sim.body_id(&body).ok_or_else(|| format!("there is no body {body:?}"))?;
                sim.set_material(id, material.clone().stiffened(factor)).map_err(|error| error.to_string())?;
                self.settings.factors.insert(body, factor);
            }
            Change::Grip(grip) => {
                if !(grip.is_finite() && grip > 0.0) {
                    return Err(format!("the grip is {grip} times the usual, but must be positive and finite"));
                }
                self.settings.grip = Some(grip);
            }
        }
        Ok(())
    }

    pub(super) fn layout(&mut self, number: u64, is_new: bool) -> Result<Layout, String> {
        let topology = self.run.topology();
        let bodies = Bodies::new(topology, Some(&self.run.sim), &self.look, self.diagonal);
        let bodies = bodies.map_err(|error| error.to_string())?;
        let all = self.run.sim.colliders();
        let floor = ground(Some(&self.scene), all, &self.look, &self.bounds);
        // What hangs may swing down to the ground.
        let low = self.bounds.min.y.min(f64::from(floor.height));
        let seen = Bounds { min: self.bounds.min.with_y(low), max: self.bounds.max };
        let layout = Layout {
            name: self.scene.source().0.file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned()),
            number,
            is_new,
            vertices: topology.vertex_count() as u32,
            bodies: bodies.layouts.clone(),
            colliders: colliders(all, &self.look, &self.bounds),
            ground: floor,
            bounds: [seen.min.to_array(), seen.max.to_array()],
            viewpoint: viewpoint(self.look.camera, &seen),
            timeline: None,
        };
        self.bodies = Some(bodies);
        Ok(layout)
    }

    pub(super) fn controls(&self) -> Controls {
        let sim = &self.run.sim;
        let kind = self.settings.kind.unwrap_or(SolverKind::Scene);
        let can_change = sim.topology_changes() == 0;
        let body = |name: &String| BodyControls {
            name: name.clone(),
            stiffness: can_change.then(|| self.settings.factors.get(name).copied().unwrap_or(1.0)),
        };
        let names =
            sim.model().bodies().iter().map(|body| &body.name).filter(|name| self.materials.contains_key(*name));
        Controls {
            playing: false,
            speed: 1.0,
            gravity: sim.gravity().to_array(),
            wind: self.has_wind.then(|| sim.wind().map_or([0.0; 3], |wind| wind.velocity.to_array())),
            solver: Some((kind, self.suited.clone())),
            solver_text: sim.solver_choice().to_string(),
            iterations: controls::iterations(sim.solver_choice()).map(|count| count as u32),
            substeps: sim.substeps() as u32,
            bodies: names.map(body).collect(),
            grip: self.settings.grip.unwrap_or(1.0),
            coloring: self.settings.coloring,
            is_touchable: true,
        }
    }

    pub(super) fn frame(&mut self, number: u64, layout: u64, pace: Option<f64>) -> Frame {
        let stored = self.run.stored_frame();
        let values = match self.settings.coloring {
            Coloring::Body => None,
            Coloring::Speed => {
                stored.velocities.as_ref().map(|velocities| velocities.iter().map(|v| v.length()).collect())
            }
            Coloring::Strain => self.strains(&stored.positions),
        };
        let (time, positions) = (stored.time, stored.positions.into_owned());
        let (values, most) = values.map_or((Vec::new(), 0.0), |values| self.scale.take(values));
        Frame {
            number,
            layout,
            step: self.steps,
            time,
            liquids: self.bodies.as_ref().map_or(Vec::new(), |bodies| bodies.liquids(&positions)),
            positions: single(&positions),
            values,
            most,
            colliders: poses(self.run.sim.colliders(), time),
            measured: self.measured(pace),
        }
    }

    /// Strains in percent; surfaces on tets show those of the tets below them.
    fn strains(&self, positions: &[Vec3]) -> Option<Vec<f64>> {
        let strains = self.run.topology().vertex_strains(positions).ok()?;
        let strains = self.run.taken_from_tets(&strains).unwrap_or(strains);
        Some(strains.into_iter().map(|strain| 100.0 * strain).collect())
    }

    fn measured(&self, pace: Option<f64>) -> Measured {
        let top_speed = self.run.sim.velocities().iter().fold(0.0_f64, |most, v| most.max(v.length()));
        let Some(report) = &self.last else { return Measured { top_speed, ..Measured::default() } };
        let (sim, masses) = (&self.run.sim, self.run.sim.model().mass().lumped());
        let heights = sim.positions().iter().zip(masses).map(|(x, m)| m * sim.gravity().dot(*x));
        let energies = Energies {
            kinetic: report.energy.kinetic,
            elastic: report.energy.elastic,
            gravitational: -heights.sum::<f64>(),
        };
        let (solve, total) = (&report.solve, report.seconds_total);
        let named = [
            ("local", solve.seconds_local),
            ("global", solve.seconds_global),
            ("factor", solve.seconds_factor),
            ("predict", report.seconds_predict),
        ];
        let known: f64 = named.iter().map(|(_, seconds)| seconds).sum();
        let phases = named.into_iter().chain([("other", (total - known).max(0.0))]);
        Measured {
            energies: Some(energies),
            residual: solve.forces.map(|forces| forces.relative()),
            iterations: solve.iterations as u32,
            phases: phases.map(|(name, seconds)| (name.to_owned(), 1e3 * seconds)).collect(),
            milliseconds: 1e3 * total,
            pace,
            top_speed,
        }
    }
}
