//! Bodies that come and go: which are there, who is next, and what ties them to others.

use pliant::{Body, ChangeError, Simulation};
use pliant_io::read::Files;
use pliant_io::store::Topology;

use crate::body::build_body;
use crate::budget::Budget;
use crate::collider::build_collider;
use crate::error::SceneError;
use crate::fault::Fault;
use crate::format::{BodySection, MaterialSection};
use crate::scene::Scene;
use crate::settings::settings;

/// A moment at which a body comes or goes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Event {
    time: f64,
    /// Its number in the scene.
    body: usize,
    comes: bool,
}

/// Two vertices of bodies that are tied.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tie {
    /// Bodies by their numbers in the scene.
    pub(crate) ends: [(usize, u32); 2],
    pub(crate) stiffness: f64,
    /// Whether it keeps the distance at rest.
    pub(crate) keeps_distance: bool,
}

/// Which bodies of a scene are in the world.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    /// Numbers in the scene, in the order of the world.
    present: Vec<usize>,
    names: Vec<String>,
    /// By time.
    events: Vec<Event>,
    done: usize,
    /// Bodies that are yet to come, by their numbers in the scene.
    waiting: Vec<Option<Body>>,
    ties: Vec<Tie>,
}

/// From when until when a body is there \[s\]; faults are at keys of the section.
fn window(section: &BodySection) -> Result<[f64; 2], Fault> {
    let window = [section.from.unwrap_or(0.0), section.until.unwrap_or(f64::INFINITY)];
    if let Some(from) = section.from.filter(|from| !(from.is_finite() && *from >= 0.0)) {
        return Err(Fault::new("from", format!("from is {from}, but must be finite and at least 0")));
    }
    if window[1].is_nan() || window[1] <= window[0] {
        let message = format!("the body is there from {} s until {} s, which is never", window[0], window[1]);
        return Err(Fault::new("until", message));
    }
    Ok(window)
}

impl Presence {
    /// Of bodies that are there within these windows.
    pub(crate) fn new(names: Vec<String>, windows: &[[f64; 2]]) -> Self {
        let mut events = Vec::new();
        for (body, &[from, until]) in windows.iter().enumerate() {
            if from > 0.0 {
                events.push(Event { time: from, body, comes: true });
            }
            if until < f64::INFINITY {
                events.push(Event { time: until, body, comes: false });
            }
        }
        // At the same moment who comes is there before others go, so that there is always a body.
        events.sort_by(|a, b| a.time.total_cmp(&b.time).then(b.comes.cmp(&a.comes)));
        let present = (0..windows.len()).filter(|&body| windows[body][0] <= 0.0).collect();
        let waiting = windows.iter().map(|_| None).collect();
        Self { present, names, events, done: 0, waiting, ties: Vec::new() }
    }

    /// Whether bodies come or go at all.
    pub(crate) fn is_changing(&self) -> bool {
        !self.events.is_empty()
    }

    /// Whether a body is there at the start.
    pub(crate) fn is_present(&self, body: usize) -> bool {
        self.present.contains(&body)
    }

    /// The first moment at which no body would be there \[s\].
    pub(crate) fn first_empty_moment(&self) -> Option<f64> {
        let mut count = self.present.len();
        if count == 0 {
            return Some(0.0);
        }
        self.events.iter().find_map(|event| {
            count = if event.comes { count + 1 } else { count - 1 };
            (count == 0).then_some(event.time)
        })
    }

    /// Takes in a body that the scene does not have, and that has come to the end of the world.
    pub(crate) fn take_in(&mut self, name: &str) {
        self.present.push(self.names.len());
        self.names.push(name.to_owned());
        self.waiting.push(None);
    }

    /// Keeps a body that is yet to come.
    pub(crate) fn wait(&mut self, number: usize, body: Body) {
        self.waiting[number] = Some(body);
    }

    /// Keeps what ties bodies, for when both are there.
    pub(crate) fn tie(&mut self, tie: Tie) {
        self.ties.push(tie);
    }

    /// Numbers in the scene of the bodies of the world, in its order.
    pub(crate) fn present(&self) -> &[usize] {
        &self.present
    }

    /// Number in the world of a body of the scene, if it is there.
    pub(crate) fn number(&self, body: usize) -> Option<usize> {
        self.present.iter().position(|other| *other == body)
    }

    /// The number of vertices of each body of the scene; for one that is not there, the last that is known.
    pub(crate) fn vertex_counts(&self, sim: &Simulation, mut last: Vec<usize>) -> Vec<usize> {
        let bodies = sim.model().bodies().iter().zip(&self.present);
        bodies.for_each(|(body, &number)| last[number] = body.vertices.len());
        last
    }

    /// Comings and goings that have happened.
    pub(crate) fn done(&self) -> usize {
        self.done
    }

    /// How many there are in all.
    pub(crate) fn count(&self) -> usize {
        self.events.len()
    }

    /// Lets bodies come and go whose moment is before a time \[s\].
    pub(crate) fn follow(&mut self, sim: &mut Simulation, before: f64) -> Result<(), ChangeError> {
        while self.events.get(self.done).is_some_and(|event| event.time < before) {
            self.happen(sim)?;
        }
        Ok(())
    }

    /// Lets bodies come and go until so many have.
    pub(crate) fn advance_to(&mut self, sim: &mut Simulation, done: usize) -> Result<(), ChangeError> {
        while self.done < done {
            self.happen(sim)?;
        }
        Ok(())
    }

    fn happen(&mut self, sim: &mut Simulation) -> Result<(), ChangeError> {
        let Event { body, comes, .. } = self.events[self.done];
        if !comes {
            let id = sim.body_id(&self.names[body]).ok_or_else(|| self.lost(body))?;
            sim.remove(id)?;
            self.present.retain(|other| *other != body);
        } else {
            sim.add(self.waiting[body].take().ok_or_else(|| self.lost(body))?)?;
            self.present.push(body);
            self.tie_up(sim, body)?;
        }
        self.done += 1;
        Ok(())
    }

    /// Ties a body that has come to those that are there.
    fn tie_up(&self, sim: &mut Simulation, body: usize) -> Result<(), ChangeError> {
        let is_due = |tie: &&Tie| {
            let [a, b] = tie.ends.map(|end| end.0);
            (a == body || b == body) && self.is_present(a) && self.is_present(b)
        };
        for tie in self.ties.iter().filter(is_due) {
            let mut ends = Vec::with_capacity(2);
            for (number, vertex) in tie.ends {
                let id = sim.body_id(&self.names[number]).ok_or_else(|| self.lost(number))?;
                ends.push((id, vertex));
            }
            match tie.keeps_distance {
                true => sim.attach_at_distance(ends[0], ends[1], tie.stiffness)?,
                false => sim.attach(ends[0], ends[1], tie.stiffness)?,
            };
        }
        Ok(())
    }

    /// A body could not come at its moment, and nobody has it any more.
    fn lost(&self, body: usize) -> ChangeError {
        pliant::ModelError::NoSuchBody(self.names[body].clone()).into()
    }

    /// What is stored of a scene, given that of all its bodies: those that are not there have no vertices.
    pub(crate) fn topology(&self, all: &Topology) -> Topology {
        let mut topology = Topology::default();
        for (number, body) in all.bodies.iter().enumerate() {
            match self.is_present(number) {
                true => topology.add_body_of(all, number),
                false => topology.add_absent(&body.name),
            }
        }
        topology
    }
}

impl Scene {
    /// When bodies come and go.
    pub(crate) fn presence(&self) -> Result<Presence, SceneError> {
        let file = self.file();
        let mut windows = Vec::new();
        for (k, section) in file.body.iter().enumerate() {
            let refuse = |fault: Fault| self.fault(&self.list_path("body", k), &fault);
            windows.push(window(section).map_err(refuse)?);
            let Some(key) = section.from.map(|_| "from").or(section.until.map(|_| "until")) else { continue };
            let cannot = if matches!(section.material, MaterialSection::Fluid(_)) {
                "a fluid cannot come or go; an emitter lets it come bit by bit"
            } else if !file.cut.is_empty() || file.body.iter().any(|body| body.tear.is_some()) {
                "bodies cannot come or go in a scene with tears or cuts"
            } else {
                continue;
            };
            return Err(refuse(Fault::new(key, cannot)));
        }
        let names = file.body.iter().map(|body| body.name.clone()).collect();
        let presence = Presence::new(names, &windows);
        if let Some(time) = presence.first_empty_moment() {
            let message = format!("no body is there at {time} s, but a scene always has one at least");
            let at = windows.iter().position(|window| window[0] == time || window[1] == time).unwrap_or(0);
            let key = if windows[at][1] == time { "until" } else { "from" };
            return Err(self.fault(&self.list_path("body", at), &Fault::new(key, message)));
        }
        Ok(presence)
    }

    /// Checks a world with all bodies, as if they were there at the same time, so that errors in those which come later show at once. Substeps and integrator
    /// that suit it suit any part of it. Surfaces may cross: they need not be there at the same time.
    pub(crate) fn check_all_bodies(&self, files: &Files) -> Result<Simulation, SceneError> {
        let (file, mut budget) = (self.file(), Budget::new(self.most_vertices));
        let world = file.world.clone().unwrap_or_default();
        let world = settings(&world, file.solver.as_ref()).map_err(|fault| self.fault(&[], &fault))?;
        let mut builder = world.builder;
        for k in 0..file.body.len() {
            let built = build_body(&file.body, k, files, &mut budget);
            builder = builder.body(built.map_err(|fault| self.fault(&self.list_path("body", k), &fault))?.body);
        }
        for (k, section) in file.collider.iter().enumerate() {
            let built = build_collider(section, files, &mut budget);
            builder = builder.collider(built.map_err(|fault| self.fault(&self.list_path("collider", k), &fault))?);
        }
        builder.build().map_err(|error| self.in_engine(&error))
    }
}
