//! Tearing and cutting: from sections to the engine's descriptions, and what a run stores about torn bodies.

use pliant::math::Vec3;
use pliant::mesh::{Edge, connected_components};
use pliant::{Cut, Matching, Simulation, Tearing, TopologyError};
use pliant_io::store::Topology;

use crate::fault::Fault;
use crate::format::{CutSection, CutSpace, TearSection};
use crate::select::resolve;

/// How a body tears; faults are at keys of `tear`.
pub(crate) fn tearing(section: &TearSection, rest: &[Vec3], edges: &[Edge]) -> Result<Tearing, Fault> {
    let mut tearing = match (section.stretch, section.force) {
        (Some(stretch), None) if stretch > 1.0 && stretch.is_finite() => Tearing::at_stretch(stretch),
        (None, Some(force)) if force > 0.0 && force.is_finite() => Tearing::at_force(force),
        (Some(stretch), None) => {
            let message = format!("stretch is {stretch}, but must be finite and above 1");
            return Err(Fault::new("stretch", message).hint("with 1.3 it tears at a strain of 30 %"));
        }
        (None, Some(force)) => {
            return Err(Fault::new("force", format!("force is {force}, but must be finite and positive")));
        }
        _ => return Err(Fault::new("", "give `stretch` or `force`, and not both")),
    };
    if !(0.0..1.0).contains(&section.noise) {
        return Err(Fault::new("noise", format!("noise is {}, but must be at least 0 and below 1", section.noise)));
    }
    tearing = tearing.with_noise(section.noise, section.seed);
    if let Some(most) = section.splits_per_step {
        if most == 0 {
            return Err(Fault::new("splits_per_step", "splits_per_step is 0, but must be at least 1"));
        }
        tearing.splits_per_step = most;
    }
    for (k, seam) in section.seam.iter().enumerate() {
        let key = |name: &str| format!("seam.{k}.{name}");
        if !(seam.strength.is_finite() && seam.strength > 0.0) {
            let message = format!("strength is {}, but must be finite and positive", seam.strength);
            return Err(Fault::new(key("strength"), message));
        }
        let chosen = resolve(&seam.select, rest, None).map_err(|message| Fault::new(key("select"), message))?;
        let mut is_chosen = vec![false; rest.len()];
        chosen.iter().for_each(|&v| is_chosen[v as usize] = true);
        let between = |edge: &&Edge| edge.iter().all(|v| is_chosen[*v as usize]);
        let own: Vec<Edge> = edges.iter().filter(between).copied().collect();
        if own.is_empty() {
            return Err(Fault::new(key("select"), "there is no edge between the selected vertices"));
        }
        tearing = tearing.with_seam(own, seam.strength);
    }
    Ok(tearing)
}

/// A cut with its moment.
#[derive(Debug, Clone)]
pub(crate) struct TimedCut {
    pub(crate) body: String,
    pub(crate) time: f64,
    cut: Cut,
    space: CutSpace,
}

impl TimedCut {
    /// Faults are at keys of the section.
    pub(crate) fn new(section: &CutSection) -> Result<Self, Fault> {
        if !(section.time.is_finite() && section.time >= 0.0) {
            return Err(Fault::new("time", format!("time is {}, but must be finite and at least 0", section.time)));
        }
        let (cut, key) = match (&section.plane, &section.polyline) {
            (Some(plane), None) => (Cut::Plane { point: plane.point.into(), normal: plane.normal.into() }, "plane"),
            (None, Some(line)) => {
                let points = line.points.iter().map(|point| Vec3::from_array(*point)).collect();
                (Cut::Polyline { points, direction: line.direction.into() }, "polyline")
            }
            _ => return Err(Fault::new("", "give `plane` or `polyline`, and not both")),
        };
        cut.check().map_err(|error| Fault::new(key, error.to_string()))?;
        Ok(Self { body: section.body.clone(), time: section.time, cut, space: section.space })
    }

    pub(crate) fn act(&self, sim: &mut Simulation) -> Result<(), TopologyError> {
        match self.space {
            CutSpace::Now => sim.cut(&self.body, &self.cut),
            CutSpace::Rest => sim.cut_at_rest(&self.body, &self.cut),
        }
        .map(drop)
    }
}

/// What is stored of a world that has changed. Bodies of loose points and those with a surface that rides along do not change.
pub(crate) fn topology_of(sim: &Simulation, before: &Topology) -> Topology {
    let (now, mut topology) = (Topology::of(sim), Topology::default());
    for (k, body) in sim.model().bodies().iter().enumerate() {
        let rides = before.bodies[k].vertices.len() > body.vertices.len();
        let is_kept = sim.model().cells(k).is_empty() || rides;
        topology.add_body_of(if is_kept { before } else { &now }, k);
    }
    topology
}

/// Edges of a body's cells with their rest lengths, in its own vertices; none of loose points.
pub(crate) fn edges_of(sim: &Simulation, body: usize) -> Option<Vec<(Edge, f64)>> {
    let cells = sim.model().cells(body);
    let rest = &sim.model().rest()[sim.model().bodies()[body].vertices.clone()];
    let length = |[a, b]: Edge| rest[a as usize].distance(rest[b as usize]);
    (!cells.is_empty()).then(|| cell_edges(sim, body).into_iter().map(|edge| (edge, length(edge))).collect())
}

fn cell_edges(sim: &Simulation, body: usize) -> Vec<Edge> {
    let pairs = sim
        .model()
        .cells(body)
        .iter()
        .flat_map(|cell| (0..cell.len()).flat_map(move |i| (i + 1..cell.len()).map(move |j| [cell[i], cell[j]])));
    let mut edges: Vec<Edge> = pairs.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Connected pieces of bodies: what cells hold together, or the regions of a matched body; any other loose vertex is a piece.
pub(crate) fn pieces(sim: &Simulation, bodies: &[usize]) -> usize {
    let matched = |body: usize| sim.model().matter_in::<Matching>(body).is_some();
    let count = |&body: &usize| {
        let info = &sim.model().bodies()[body];
        let numbers = sim.pieces(&info.name).ok().filter(|_| matched(body));
        match numbers.as_deref().map(|numbers| numbers.iter().max()) {
            Some(most) => most.map_or(0, |&most| most as usize + 1),
            None => connected_components(info.vertices.len(), &cell_edges(sim, body)).count,
        }
    };
    bodies.iter().map(count).sum()
}
