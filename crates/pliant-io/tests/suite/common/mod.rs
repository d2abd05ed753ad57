//! A small run of every kind of body, with motion by formulas.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use pliant::math::Vec3;
use pliant::mesh::generate::{Sheet, TetBox, rope};
use pliant::mesh::{Placed, PointSet};
use pliant_io::store::{ChannelOn, Frame, RunInfo, RunStore, Topology};

/// A folder that goes when it is dropped.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("pliant-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A cloth, a solid with vertices inside, two ropes and loose points; a name that formats have to change.
pub fn topology() -> Topology {
    let mut topology = Topology::default();
    topology.add_surface("cloth", &Sheet { columns: 5, rows: 4, ..Sheet::default() }.mesh().unwrap());
    let solid = TetBox { cells: [3, 3, 3], ..TetBox::default() }.mesh().unwrap();
    topology.add_solid("2 jelly & co", &solid.translated(Vec3::new(3.0, 0.1, 0.0)));
    let mut ropes = rope(Vec3::ZERO, Vec3::X, 6).unwrap();
    ropes.append(&rope(Vec3::Z, Vec3::new(1.0, 0.5, 1.0), 3).unwrap()).unwrap();
    topology.add_strands("ropes", &ropes);
    topology.add_points("dust", &PointSet::new((0..7).map(|i| Vec3::splat(f64::from(i) / 3.0)).collect()).unwrap());
    topology
}

pub const FRAME_RATE: f64 = 50.0;

pub fn position(rest: Vec3, number: u64) -> Vec3 {
    let t = number as f64 / FRAME_RATE;
    let wave = (3.0 * rest.x + 20.0 * t).sin() - (3.0 * rest.x).sin();
    rest + Vec3::new(0.3 * t, 0.1 * wave, t * t * rest.y / 7.0)
}

pub fn frame(topology: &Topology, number: u64) -> Frame<'static> {
    let positions: Vec<Vec3> = topology.rest.iter().map(|rest| position(*rest, number)).collect();
    let velocities: Vec<Vec3> = topology.rest.iter().map(|rest| Vec3::new(0.3, rest.y, number as f64)).collect();
    let heat = topology.rest.iter().map(|rest| rest.x + number as f64).collect();
    let strain = (0..topology.tets.len()).map(|tet| tet as f64 + 0.25 * number as f64).collect();
    let stretch = (0..topology.triangles.len()).map(|triangle| triangle as f64 / 8.0).collect();
    Frame::new(number as f64 / FRAME_RATE, positions)
        .with_velocities(velocities)
        .with_channel("heat", ChannelOn::Vertices, heat)
        .with_channel("strain", ChannelOn::Tets, strain)
        .with_channel("stretch", ChannelOn::Triangles, stretch)
}

pub fn info() -> RunInfo {
    RunInfo { frame_rate: FRAME_RATE, ..RunInfo::default() }
}

/// A finished run.
pub fn run(dir: &Path, frames: u64) -> RunStore {
    let topology = topology();
    let mut store = RunStore::create(dir, &topology, &info()).unwrap();
    for number in 0..frames {
        store.write_frame(number, &frame(&topology, number)).unwrap();
    }
    store
}

/// The Python with other people's readers and writers; says so where there is none.
pub fn python() -> Option<std::ffi::OsString> {
    let python = std::env::var_os("PLIANT_PYTHON");
    if python.is_none() {
        println!("skipped: PLIANT_PYTHON names no Python with what tests/python/requirements.txt lists");
    }
    python
}

/// The folder of real meshes; says so where there is none.
pub fn real_meshes() -> Option<PathBuf> {
    let folder = std::env::var_os("PLIANT_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no real meshes at {}", folder.display());
    None
}
