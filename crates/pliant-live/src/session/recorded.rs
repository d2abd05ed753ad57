//! A stored run that is played.

use pliant::math::{Vec3, diagonal};
use pliant::mesh::Bounds;
use pliant_io::store::RunStore;
use pliant_picture::Extent;
use pliant_scene::{Look, Scene, SceneRun};

use super::look::{Bodies, Scale, bounds, colliders, ground, poses, single, viewpoint};
use super::outbox::Outbox;
use crate::protocol::{Change, Coloring, Command, Controls, Energies, Frame, Layout, Measured, Severity, Timeline};

/// Frames that are looked through for the box around a run: more take longer than they tell.
const MOST_LOOKED_AT: usize = 60;

/// A stored run that is played.
#[derive(Debug)]
pub(super) struct Recorded {
    name: String,
    store: RunStore,
    /// The scene of the run, built, if it is known: it says how things look, and has the colliders.
    origin: Option<(Scene, SceneRun)>,
    look: Look,
    /// Around all of the run.
    bounds: Bounds,
    lowest: f64,
    bodies: Option<Bodies>,
    /// The frame whose topology was told, by the number at which that begins.
    told: Option<u64>,
    /// Place of the frame among those that are there.
    at: usize,
    coloring: Coloring,
    scale: Scale,
    /// Energies of the log, by frame.
    energies: Vec<(u64, Energies)>,
    layout_changed: bool,
    controls_changed: bool,
}

impl Recorded {
    pub(super) fn open(store: RunStore, origin: Option<(Scene, SceneRun)>) -> Result<Self, String> {
        let frames = store.frames();
        if frames.is_empty() {
            return Err(format!("{} has no frames yet", store.dir().display()));
        }
        let look = match &origin {
            Some((scene, _)) => scene.look().map_err(|error| error.to_string())?,
            None => Look::default(),
        };
        let mut extent = Extent::default();
        for &number in frames.iter().step_by(frames.len().div_ceil(MOST_LOOKED_AT)) {
            extent.add(&store.read_frame(number).map_err(|error| error.to_string())?.positions);
        }
        let own = extent.bounds().ok_or("there is nothing to see in the run")?;
        let all = origin.as_ref().map_or(&[][..], |(_, run)| run.sim.colliders());
        let name = store.dir().file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        Ok(Self {
            name,
            look,
            bounds: bounds(&[own.min, own.max], all),
            lowest: own.min.y,
            bodies: None,
            told: None,
            at: 0,
            coloring: Coloring::default(),
            scale: Scale::default(),
            energies: energies(&store)?,
            layout_changed: false,
            controls_changed: false,
            store,
            origin,
        })
    }

    fn number(&self) -> u64 {
        self.store.frames()[self.at]
    }

    pub(super) fn frame_seconds(&self) -> f64 {
        1.0 / self.store.info().frame_rate
    }

    pub(super) fn rewind(&mut self) {
        self.at = 0;
    }

    /// Begins again when it is at its end.
    pub(super) fn prepare_to_play(&mut self) {
        if self.at + 1 == self.store.frames().len() {
            self.at = 0;
        }
    }

    /// Shows the next frame; whether there is one after it.
    pub(super) fn next(&mut self, outbox: &mut Outbox) -> bool {
        let last = self.store.frames().len() - 1;
        self.go_to((self.at + 1).min(last), outbox);
        self.at < last
    }

    fn go_to(&mut self, place: usize, outbox: &mut Outbox) {
        self.at = place;
        self.layout_changed |= self.told != Some(self.store.topology_of(self.number()).unwrap_or(0));
        outbox.frame_is_due();
    }

    pub(super) fn take_changes(&mut self) -> (bool, bool) {
        let changes = (self.layout_changed, self.controls_changed);
        (self.layout_changed, self.controls_changed) = (false, false);
        changes
    }

    pub(super) fn handle(&mut self, command: &Command, outbox: &mut Outbox) {
        match command {
            Command::Seek(number) => {
                let frames = self.store.frames();
                let place = frames.partition_point(|frame| frame < number).min(frames.len() - 1);
                self.go_to(place, outbox);
            }
            Command::Color(coloring) => {
                (self.coloring, self.scale) = (*coloring, Scale::default());
                self.controls_changed = true;
                outbox.frame_is_due();
            }
            // A hand that lets go held nothing.
            Command::Release { .. } => {}
            Command::Grab { pointer, .. } | Command::Drag { pointer, .. } => {
                outbox.say(crate::protocol::Event::Released { pointer: *pointer });
            }
            Command::Change(Change::Grip(_)) => {}
            _ => outbox.notice(Severity::Refused, "a stored run cannot be changed; open its scene to do that"),
        }
    }

    pub(super) fn layout(&mut self, number: u64, is_new: bool) -> Result<Layout, String> {
        let frame = self.number();
        let topology = self.store.topology_at(frame).map_err(|error| error.to_string())?;
        self.told = Some(self.store.topology_of(frame).unwrap_or(0));
        let (scene, sim) = match &self.origin {
            Some((scene, run)) => (Some(scene), Some(&*run.sim)),
            None => (None, None),
        };
        let bodies = Bodies::new(&topology, sim, &self.look, diagonal(&topology.rest));
        let bodies = bodies.map_err(|error| error.to_string())?;
        let all = sim.map_or(&[][..], |sim| sim.colliders());
        let mut floor = ground(scene, all, &self.look, &self.bounds);
        // What hangs does not get lower than it did.
        floor.height = floor.height.max((self.lowest - 0.02 * self.bounds.diagonal()) as f32).min(self.lowest as f32);
        let layout = Layout {
            name: self.name.clone(),
            number,
            is_new,
            vertices: topology.vertex_count() as u32,
            bodies: bodies.layouts.clone(),
            colliders: colliders(all, &self.look, &self.bounds),
            ground: floor,
            bounds: [self.bounds.min.to_array(), self.bounds.max.to_array()],
            viewpoint: viewpoint(self.look.camera, &self.bounds),
            timeline: Some(Timeline { frames: self.store.frames().to_vec(), rate: self.store.info().frame_rate }),
        };
        self.bodies = Some(bodies);
        Ok(layout)
    }

    pub(super) fn controls(&self) -> Controls {
        Controls { coloring: self.coloring, grip: 1.0, substeps: 1, ..Controls::default() }
    }

    pub(super) fn frame(&mut self, number: u64, layout: u64, pace: Option<f64>, outbox: &mut Outbox) -> Option<Frame> {
        let stored = match self.store.read_frame(self.number()) {
            Ok(frame) => frame,
            Err(error) => {
                outbox.frame_is_lost();
                outbox.notice(Severity::Refused, error);
                return None;
            }
        };
        let positions: &[Vec3] = &stored.positions;
        let values = match self.coloring {
            Coloring::Body => None,
            Coloring::Speed => {
                stored.velocities.as_ref().map(|velocities| velocities.iter().map(|v| v.length()).collect())
            }
            Coloring::Strain => self.strains(positions),
        };
        let (values, most) = values.map_or((Vec::new(), 0.0), |values| self.scale.take(values));
        let colliders = self.origin.as_ref().map_or(Vec::new(), |(_, run)| poses(run.sim.colliders(), stored.time));
        let top_speed =
            stored.velocities.iter().flat_map(|all| all.iter()).fold(0.0_f64, |most, v| most.max(v.length()));
        let energies = self.energies.iter().find(|(frame, _)| *frame == self.number()).map(|(_, energies)| *energies);
        Some(Frame {
            number,
            layout,
            step: self.number(),
            time: stored.time,
            positions: single(positions),
            values,
            most,
            liquids: self.bodies.as_ref().map_or(Vec::new(), |bodies| bodies.liquids(positions)),
            colliders,
            measured: Measured { energies, pace, top_speed, ..Measured::default() },
        })
    }

    fn strains(&self, positions: &[Vec3]) -> Option<Vec<f64>> {
        let strains = self.store.topology_at(self.number()).ok()?.vertex_strains(positions).ok()?;
        let ridden = self.origin.as_ref().and_then(|(_, run)| run.taken_from_tets(&strains));
        Some(ridden.unwrap_or(strains).into_iter().map(|strain| 100.0 * strain).collect())
    }
}

/// Energies of the log, by frame.
fn energies(store: &RunStore) -> Result<Vec<(u64, Energies)>, String> {
    let log = store.read_log().map_err(|error| error.to_string())?;
    let entry = |entry: &serde_json::Map<String, serde_json::Value>| {
        let number = |key: &str| entry.get(key).and_then(serde_json::Value::as_f64);
        let energies = Energies {
            kinetic: number("kinetic")?,
            elastic: number("elastic")?,
            gravitational: number("gravitational").unwrap_or(0.0),
        };
        Some((entry.get("frame")?.as_u64()?, energies))
    };
    Ok(log.iter().filter_map(entry).collect())
}
