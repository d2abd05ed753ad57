//! The kernels that shorten movements so that nothing passes through anything.
//!
//! | file | does |
//! |---|---|
//! | `survey`, `points` | where vertices are and want to go, seen from the middle and with the mean movement |
//! | `tree`, `refit` | boxes around movements, and boxes around those |
//! | `seek`, `unproved` | finds the pairs that are not seen to stay apart |
//! | `pairs`, `shares`, `cut` | looks at these more closely, and cuts movements |
//! | `apply` | moves vertices by what is left |
//! | `planes` | the last resort |
//!
//! A pass looks for pairs, and then cuts in rounds until those that were found stay apart. What was cut may come in the way of others: the next pass looks for
//! pairs of which a corner was cut in this one, and for those that there was no room for. If some are left after the last pass, planes that stand are put
//! between all pairs that could meet, which holds however much is cut.

use pliant::SelfCollision;

use super::Buffers;
use super::kernels::{Kernels, Use};
use super::surfaces::{SEEKING, Surfaces};
use super::tree;
use crate::device::{Dispatch, Storage};
use crate::error::GpuError;
use Use::{R, W};

/// Rounds of each pass, and whether planes follow the side that makes way. Many passes of few rounds were seen to need the last resort least.
const PASSES: [(usize, bool); 10] = {
    let mut passes = [(2, false); 10];
    (passes[0], passes[1]) = ((4, true), (2, true));
    passes
};
/// Pairs that a seeker may have in a pass.
pub(super) const ROOM: usize = 16;
/// Workgroups that sum over all vertices.
pub(super) const PARTS: usize = 64;
/// Threads of a workgroup over vertices.
const THREADS: usize = 128;

/// Words of the status; those before `KEPT` are of the last truncation.
pub(crate) mod status {
    /// Pairs that each pass began with: one more for the pass that judges.
    pub(crate) const OPEN: usize = 0;
    /// The pass whose pairs decide whether there is more to do than the first pass.
    pub(crate) const LOOKED: u32 = 1;
    /// Most pairs of a seeker that has too many.
    pub(crate) const CROWDED: usize = 16;
    /// Pairs that were left after all passes.
    pub(crate) const UNPROVED: usize = 17;
    /// Vertices whose movement was cut.
    pub(crate) const CUT: usize = 18;
    pub(crate) const KEPT: usize = 20;
    /// Vertices that were to go where nothing is finite.
    pub(crate) const LOST: usize = 20;
    /// Most pairs of a first pass.
    pub(crate) const MOST_PAIRS: usize = 21;
    /// Vertices whose movement was cut, truncations with too many pairs, and those that took the last resort.
    pub(crate) const ALL_CUT: usize = 22;
    pub(crate) const ALL_CROWDED: usize = 23;
    pub(crate) const ALL_PLANES: usize = 24;
    /// Contacts of the last list, most of any, and those that there was no room for.
    pub(crate) const CONTACTS: usize = 25;
    pub(crate) const MOST_CONTACTS: usize = 26;
    pub(crate) const DROPPED: usize = 27;
    /// Contacts that pressed after an iteration of a solver, added up over all iterations.
    pub(crate) const PRESSING: usize = 28;
    pub(crate) const LEN: usize = 32;
}

/// What reads the status as plain words.
const PLAIN: &str = "fn status_of(word: u32) -> u32 { return status[word]; }\n";
pub(super) const ASKED: &str = include_str!("asked.wgsl");
const PAIRS: &str = include_str!("pairs.wgsl");
pub(super) const TREE: &str = include_str!("tree.wgsl");
pub(super) const SEEK: &str = include_str!("seek.wgsl");

/// What all kernels of layers begin with.
pub(super) fn head(surfaces: &Surfaces, settings: &SelfCollision) -> String {
    let words = [
        ("STATUS_OPEN", status::OPEN),
        ("STATUS_CROWDED", status::CROWDED),
        ("STATUS_UNPROVED", status::UNPROVED),
        ("STATUS_CUT", status::CUT),
        ("STATUS_KEPT", status::KEPT),
        ("STATUS_LOST", status::LOST),
        ("STATUS_MOST_PAIRS", status::MOST_PAIRS),
        ("STATUS_ALL_CUT", status::ALL_CUT),
        ("STATUS_ALL_CROWDED", status::ALL_CROWDED),
        ("STATUS_ALL_PLANES", status::ALL_PLANES),
        ("STATUS_CONTACTS", status::CONTACTS),
        ("STATUS_MOST_CONTACTS", status::MOST_CONTACTS),
        ("STATUS_DROPPED", status::DROPPED),
        ("LAST_PASS", PASSES.len() + 2),
        ("ROOM", ROOM),
        ("PARTS", PARTS),
    ];
    let words = words.map(|(name, value)| format!("const {name} = {value}u;\n"));
    [&surfaces.constants(settings), &words.concat(), include_str!("common.wgsl"), PAIRS].concat()
}

/// Kernels of a truncation, over where vertices are and want to be.
#[derive(Clone, Copy)]
pub(super) struct Truncation<'a> {
    pub(super) kernels: &'a Kernels<'a>,
    pub(super) surfaces: &'a Surfaces,
    pub(super) buffers: &'a Buffers,
    pub(super) anchors: &'a Storage<[f32; 4]>,
    pub(super) offsets: &'a Storage<[f32; 4]>,
    /// Where vertices were when the step began.
    pub(super) before: &'a Storage<[f32; 4]>,
}

impl Truncation<'_> {
    /// Takes where vertices are as the last positions without intersections, and as those that a step begins with.
    pub(super) fn begin(&self) -> Result<Dispatch, GpuError> {
        self.moving("begin_from_here", [0; 4])
    }

    /// Cuts the movement from there to where vertices are now, which then is the last one without intersections: a first pass, which nearly always is enough, and
    /// all that follow if it leaves pairs open. Kernels with nothing to do would take as long as those of the first pass.
    pub(super) fn all(&self) -> Result<[Vec<Dispatch>; 2], GpuError> {
        let mut first = vec![self.moving("begin_truncation", [0; 4])?];
        first.extend(self.frame(self.offsets)?);
        let mut rest = Vec::new();
        for (number, (rounds, follows)) in (0..).zip(PASSES) {
            let list = if number <= status::LOOKED { &mut first } else { &mut rest };
            list.extend(self.search(number, true, self.offsets)?);
            list.push(self.list(number, false)?);
            let list = if number < status::LOOKED { &mut first } else { &mut rest };
            for _ in 0..rounds {
                list.push(self.cut([number, u32::from(follows), 0, 0])?);
                list.push(self.moving("apply", [number, 0, 0, 0])?);
            }
        }
        first.push(self.moving("end_truncation", [status::LOOKED + 1, 0, 0, 0])?);
        let judging = PASSES.len() as u32;
        rest.extend(self.search(judging, true, self.offsets)?);
        rest.push(self.list(judging, true)?);
        rest.push(self.cut([judging, 0, 1, 0])?);
        rest.extend(self.last_resort()?);
        rest.push(self.moving("end_truncation", [0; 4])?);
        Ok([first, rest])
    }

    /// Planes that stand, if pairs were left.
    fn last_resort(&self) -> Result<Vec<Dispatch>, GpuError> {
        let last = PASSES.len() as u32 + 2;
        let mut all = self.search(last, false, self.offsets)?;
        let Buffers { elements, nodes, points, status, safe, shares, .. } = self.buffers;
        let uses = [R(elements), R(nodes), R(points), W(status), R(self.anchors), R(safe), R(self.offsets), W(shares)];
        let files = [ASKED, TREE, SEEK, include_str!("shares.wgsl"), include_str!("planes.wgsl")];
        let seeking = self.surfaces.seekers().div_ceil(SEEKING);
        all.push(self.kernels.one((&files, "put_planes"), &uses, [0; 4], seeking)?);
        all.push(self.moving("apply", [last, 0, 0, 0])?);
        Ok(all)
    }

    /// The middle of all, and the mean movement to some offsets.
    pub(super) fn frame(&self, aims: &Storage<[f32; 4]>) -> Result<[Dispatch; 2], GpuError> {
        let Buffers { safe, parts, frame, .. } = self.buffers;
        let uses = [R(self.anchors), R(safe), R(aims), W(parts), W(frame)];
        let files = [include_str!("survey.wgsl")];
        Ok([
            self.kernels.one((&files, "survey"), &uses, [0; 4], PARTS)?,
            self.kernels.one((&files, "settle_frame"), &uses, [0; 4], 1)?,
        ])
    }

    /// The trees for a pass.
    pub(super) fn search(
        &self,
        number: u32,
        is_moving: bool,
        aims: &Storage<[f32; 4]>,
    ) -> Result<Vec<Dispatch>, GpuError> {
        let Buffers { elements, order, nodes, points, status, .. } = self.buffers;
        let mut all = vec![self.points(number, is_moving, aims)?];
        let uses = [R(elements), R(order), R(points), W(nodes), R(status)];
        let files = [PLAIN, ASKED, TREE, include_str!("refit.wgsl")];
        for (level, [triangles, edges]) in tree::dispatches(&self.surfaces.shapes) {
            let parameters = [number, level as u32, triangles as u32, 0];
            all.push(self.kernels.one((&files, "refit"), &uses, parameters, triangles + edges)?);
        }
        Ok(all)
    }

    /// Where vertices are and want to go, seen from the middle of all.
    pub(super) fn points(&self, number: u32, is_moving: bool, aims: &Storage<[f32; 4]>) -> Result<Dispatch, GpuError> {
        let Buffers { points, status, safe, shares, frame, .. } = self.buffers;
        let uses = [R(self.anchors), R(safe), R(aims), R(frame), W(points), W(shares), R(status)];
        let parameters = [number, u32::from(is_moving), 0, 0];
        let files = [PLAIN, ASKED, include_str!("points.wgsl")];
        self.kernels.one((&files, "points_of"), &uses, parameters, self.surfaces.places.div_ceil(THREADS))
    }

    fn list(&self, number: u32, is_last: bool) -> Result<Dispatch, GpuError> {
        let Buffers { elements, nodes, points, status, rooms, shares, .. } = self.buffers;
        let uses = [R(elements), R(nodes), R(points), W(status), W(rooms), W(shares)];
        let files = [ASKED, TREE, SEEK, include_str!("unproved.wgsl")];
        let workgroups = self.surfaces.seekers().div_ceil(SEEKING);
        self.kernels.one((&files, "list_unproved"), &uses, [number, u32::from(is_last), 0, 0], workgroups)
    }

    fn cut(&self, parameters: [u32; 4]) -> Result<Dispatch, GpuError> {
        let Buffers { elements, status, rooms, safe, shares, .. } = self.buffers;
        let uses = [R(elements), R(self.anchors), R(safe), R(self.offsets), W(shares), R(rooms), W(status)];
        let files = [ASKED, include_str!("shares.wgsl"), include_str!("cut.wgsl")];
        self.kernels.one((&files, "cut"), &uses, parameters, self.surfaces.seekers().div_ceil(SEEKING))
    }

    fn moving(&self, entry: &str, parameters: [u32; 4]) -> Result<Dispatch, GpuError> {
        let Buffers { status, safe, shares, wanted, .. } = self.buffers;
        let uses = [W(safe), W(wanted), W(self.offsets), W(shares), W(status), W(self.before)];
        let files = [ASKED, include_str!("apply.wgsl")];
        self.kernels.one((&files, entry), &uses, parameters, self.surfaces.places.div_ceil(THREADS))
    }
}

#[cfg(test)]
mod tests {
    use pliant::prelude::*;
    use pliant::proximity::{Primitives, intersections};

    use super::*;
    use crate::device::{Device, DeviceChoice};
    use crate::layers::Layers;
    use crate::local::Places;

    #[test]
    fn the_last_resort_alone_keeps_all_apart() {
        if Device::adapters().is_empty() {
            eprintln!("skipped: there is no GPU here");
            return;
        }
        let device = Device::open(&DeviceChoice::default()).expect("an adapter");
        let sheet = Sheet { width: 0.2, height: 0.2, columns: 10, rows: 10, plane: Plane::Xz, ..Sheet::default() };
        let mesh = sheet.mesh().expect("a sheet");
        let mut world = Simulation::builder();
        for k in 0..4 {
            let up = Vec3::Y * (0.004 * f64::from(k));
            let body = Body::cloth(&mesh, &ClothMaterial::default()).expect("cloth").named(format!("{k}"));
            world = world.body(body.with_positions(mesh.positions.iter().map(|p| *p + up).collect()));
        }
        let sim = world.build().expect("a world");
        let (model, x) = (sim.model(), sim.positions());
        let places = Places::new(model, &(0..model.free().len() as u32).collect::<Vec<_>>());
        let row = |v: Vec3| [v.x as f32, v.y as f32, v.z as f32, 0.0];
        let vector = |row: &[f32; 4]| Vec3::new(row[0].into(), row[1].into(), row[2].into());
        let rows: Vec<[f32; 4]> = places.vertices.iter().map(|&v| row(x[v as usize])).collect();
        let anchors = device.array("anchors", &rows).expect("memory");
        let offsets = device.zeros("offsets", rows.len()).expect("memory");
        let at = [&anchors, &offsets];
        let layers = Layers::new(&device, model, &places, &SelfCollision::default(), 3600.0, at).expect("layers");
        let run = |list: Result<Vec<Dispatch>, GpuError>| {
            let program = device.program(list.expect("kernels")).expect("a program");
            device.run(&[&program]).expect("a run");
        };
        let primitives = Primitives::new(model.bodies());
        for size in [0.003, 0.01, 0.1, 1.0] {
            device.write(&offsets, 0, &vec![[0.0; 4]; rows.len()]).expect("a write");
            run(layers.begin());
            let way = |p: &[f32; 4]| {
                let p = 40.0 * vector(p);
                size * Vec3::new((p.z + 3.0 * p.y).sin(), (1.3 * p.x + 9.0 * p.y).cos(), (0.7 * p.x - p.z).sin())
            };
            let wanted: Vec<[f32; 4]> = rows.iter().map(|p| row(way(p))).collect();
            device.write(&offsets, 0, &wanted).expect("a write");
            run(layers.with(|touching| {
                let own = touching.truncation;
                Ok([vec![own.moving("begin_truncation", [0; 4])?], own.frame(own.offsets)?.to_vec()].concat())
            }));
            // As if pairs had been left.
            device.write(&layers.buffers.status, status::UNPROVED, &[1]).expect("a write");
            run(layers.with(|touching| touching.truncation.last_resort()));
            let found = device.read(&offsets, rows.len()).expect("offsets");
            let mut reached = x.to_vec();
            let mut moved = 0;
            for ((&v, anchor), offset) in places.vertices.iter().zip(&rows).zip(&found) {
                reached[v as usize] = vector(anchor) + vector(offset);
                moved += usize::from(vector(offset).length() > 1e-5);
            }
            assert_eq!(intersections(&primitives, &reached), [], "{size} m");
            assert!(moved > rows.len() / 2, "{moved} of {} have moved at all", rows.len());
        }
    }
}
