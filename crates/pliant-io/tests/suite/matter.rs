//! Matter of every kind goes through a stored run into every format.
#![allow(clippy::unwrap_used)]

use pliant::math::Vec3;
use pliant::matter::LIST;
use pliant::mesh::{Csr, PointSet, StrandSet, TriangleMesh};
use pliant::{BodyInfo, Simulation};
use pliant_io::read::{ReadOptions, read_mesh};
use pliant_io::store::{Frame, RunInfo, RunStore, Topology};
use pliant_io::write::{ExportFormat, ExportOptions, export};

use crate::common::TempDir;

/// A body as it is stored: triangles, polylines or points.
fn topology(body: &BodyInfo, rest: &[Vec3]) -> Topology {
    let (mut topology, positions) = (Topology::default(), rest.to_vec());
    if !body.surface.is_empty() {
        topology.add_surface(&body.name, &TriangleMesh { positions, triangles: body.surface.clone() });
    } else if !body.segments.is_empty() {
        let line: Vec<u32> = (0..positions.len() as u32).collect();
        topology.add_strands(&body.name, &StrandSet { positions, strands: Csr::from_rows([line]) });
    } else {
        topology.add_points(&body.name, &PointSet { positions });
    }
    topology
}

#[test]
fn every_format_has_the_positions_of_every_kind() {
    for (info, make) in LIST.iter().flat_map(|info| info.specimens.iter().map(move |make| (info, make))) {
        let mut sim = Simulation::builder().body(make().unwrap()).build().unwrap();
        let dir = TempDir::new("matter");
        let topology = topology(&sim.model().bodies()[0], sim.model().rest());
        let mut store = RunStore::create(dir.join("run"), &topology, &RunInfo::default()).unwrap();
        for number in 0..4 {
            store.write_frame(number, &Frame::new(sim.time(), sim.positions().to_vec())).unwrap();
            store.write_checkpoint(number, &sim.checkpoint().to_bytes()).unwrap();
            sim.step().unwrap();
        }
        for format in ExportFormat::ALL {
            let written =
                export(&store, format, dir.join(&format!("out.{}", format.name())), &ExportOptions::default());
            let written = written.unwrap_or_else(|error| panic!("{} as {format}: {error}", info.kind));
            assert!(written.files.iter().all(|file| file.exists()), "{} as {format}", info.kind);
            if format == ExportFormat::Vtu {
                let last = store.read_frame(3).unwrap();
                let file = written.files.iter().rfind(|file| file.extension().is_some_and(|e| e == "vtu"));
                let read = read_mesh(file.unwrap(), &ReadOptions::default());
                let read = read.unwrap_or_else(|error| panic!("{}: {error}", info.kind));
                assert_eq!(read.positions.len(), last.positions.len(), "{}", info.kind);
                for (read, stored) in read.positions.iter().zip(last.positions.iter()) {
                    assert!(read.distance(*stored) < 1e-6, "{}: {read} for {stored}", info.kind);
                }
            }
        }
        drop(store);
        // And a run is taken up again from its folder.
        let (_, saved) = RunStore::resume(dir.join("run")).unwrap();
        let mut resumed = Simulation::builder().body(make().unwrap()).build().unwrap();
        resumed.restore(&pliant::Checkpoint::from_bytes(&saved.bytes).unwrap()).unwrap();
        resumed.step().unwrap();
        assert_eq!(resumed.state(), sim.state(), "{}", info.kind);
    }
}
