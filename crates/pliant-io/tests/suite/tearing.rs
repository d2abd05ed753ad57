//! Runs whose meshes change: stored, read back, exported where a format can say it, refused where it cannot.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use pliant::math::Vec3;
use pliant::mesh::TriangleMesh;
use pliant::mesh::generate::Sheet;
use pliant_io::read::{ReadOptions, read_mesh};
use pliant_io::store::{Frame, RunInfo, RunStore, StoreError, Topology};
use pliant_io::write::{ExportError, ExportFormat, ExportOptions, export};

type Outcome = Result<(), Box<dyn std::error::Error>>;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-tearing-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A sheet, whole and with its last triangles on vertices of their own.
fn meshes() -> [TriangleMesh; 3] {
    let whole = Sheet { columns: 3, rows: 2, ..Sheet::default() }.mesh().unwrap();
    let torn = |triangles: usize| {
        let mut mesh = whole.clone();
        for triangle in mesh.triangles.iter_mut().rev().take(triangles) {
            for vertex in triangle {
                mesh.positions.push(mesh.positions[*vertex as usize]);
                *vertex = mesh.positions.len() as u32 - 1;
            }
        }
        mesh
    };
    [whole.clone(), torn(1), torn(2)]
}

fn topology(mesh: &TriangleMesh) -> Topology {
    let mut topology = Topology::default();
    topology.add_surface("flag", mesh);
    topology
}

/// Six frames: whole in the first two, torn in the next, torn further from the fifth on.
fn write_run(folder: &Folder) -> Result<RunStore, StoreError> {
    let meshes = meshes();
    let mut store = RunStore::create(&folder.0, &topology(&meshes[0]), &RunInfo::default())?;
    for number in 0..6u64 {
        let mesh = &meshes[[0, 0, 1, 1, 2, 2][number as usize]];
        if number == 2 || number == 4 {
            store.write_topology(number, &topology(mesh))?;
        }
        let moved: Vec<Vec3> = mesh.positions.iter().map(|p| *p + Vec3::Z * number as f64).collect();
        store.write_frame(number, &Frame::new(number as f64 / 60.0, moved.clone()).with_velocities(moved))?;
    }
    Ok(store)
}

#[test]
fn a_torn_run_reads_back_with_growing_vertex_counts() -> Outcome {
    let folder = Folder::new("store");
    let mut store = write_run(&folder)?;
    store.write_checkpoint(3, b"torn once")?;
    drop(store);
    let store = RunStore::open(&folder.0)?;
    let counts: Vec<usize> = (0..6).map(|k| store.read_frame(k).unwrap().positions.len()).collect();
    assert_eq!(counts, [12, 12, 15, 15, 18, 18]);
    assert_eq!(store.topology_changes(), [2, 4]);
    assert_eq!(*store.topology_at(3)?, topology(&meshes()[1]));
    assert_eq!(*store.topology_at(1)?, topology(&meshes()[0]));
    // Back at the checkpoint the later topology is gone, and what is written must have the one of the checkpoint.
    let (mut store, checkpoint) = RunStore::resume(&folder.0)?;
    assert_eq!((checkpoint.frame, store.topology_changes()), (3, &[2][..]));
    assert!(store.write_frame(4, &Frame::new(0.1, meshes()[2].positions.clone())).is_err());
    store.write_frame(4, &Frame::new(0.1, meshes()[1].positions.clone()))?;
    let late = store.write_topology(4, &topology(&meshes()[2]));
    assert!(matches!(late, Err(StoreError::OutOfOrder { frame: 4, expected: 5, .. })), "{late:?}");
    Ok(())
}

#[test]
fn formats_that_can_carry_a_torn_mesh_do() -> Outcome {
    let folder = Folder::new("export");
    let store = write_run(&folder)?;
    let options = ExportOptions::default();
    for format in [ExportFormat::Obj, ExportFormat::Ply] {
        let out = folder.0.join("out").join(format.name()).join("flag").with_extension(format.extension());
        std::fs::create_dir_all(out.parent().unwrap())?;
        let written = export(&store, format, &out, &options)?;
        for (file, mesh) in written.files.iter().zip([0, 0, 1, 1, 2, 2].map(|k| meshes()[k].clone())) {
            let read = read_mesh(file, &ReadOptions::default())?.triangle_mesh()?;
            assert_eq!(read.triangles, mesh.triangles, "{format}");
        }
    }
    let out = folder.0.join("out/flag.pvd");
    let written = export(&store, ExportFormat::Vtu, &out, &options)?;
    let text = String::from_utf8_lossy(&std::fs::read(&written.files[5])?).into_owned();
    assert!(text.contains("NumberOfPoints=\"18\""));
    let out = folder.0.join("out/flag.usda");
    export(&store, ExportFormat::Usda, &out, &options)?;
    let text = std::fs::read_to_string(out)?;
    let faces = text.split("faceVertexIndices.timeSamples = {").nth(1).unwrap().split('}').next().unwrap();
    let codes: Vec<&str> =
        faces.lines().filter_map(|line| line.trim().split(": ").next()).filter(|c| !c.is_empty()).collect();
    assert_eq!(codes, ["0", "2", "4"]);
    Ok(())
}

#[test]
fn formats_of_one_mesh_say_so_and_take_the_frames_before_the_tear() -> Outcome {
    let folder = Folder::new("fixed");
    let store = write_run(&folder)?;
    for format in [ExportFormat::Npy, ExportFormat::Glb, ExportFormat::Pc2, ExportFormat::Mdd] {
        let out = folder.0.join("flag").with_extension(format.extension());
        let refused = export(&store, format, &out, &ExportOptions::default());
        assert!(
            matches!(refused, Err(ExportError::ChangingTopology { frame: 2, last: 1, .. })),
            "{format}: {refused:?}"
        );
        assert!(!out.exists(), "nothing half-written is left");
        for (range, vertices) in [(0..=1, 12), (2..=3, 15)] {
            let options = ExportOptions { frames: Some(range), ..ExportOptions::default() };
            let written = export(&store, format, &out, &options)?;
            assert_eq!((written.frames, written.vertices), (2, vertices), "{format}");
        }
    }
    Ok(())
}

/// A flag that stays, and a guest that comes with frame 2 and has left from frame 4 on.
#[test]
fn bodies_that_come_and_go_are_stored_and_exported() -> Outcome {
    let folder = Folder::new("guests");
    let (flag, guest) = (&meshes()[0], &meshes()[1]);
    let with = |is_there: bool| {
        let mut all = topology(flag);
        if is_there {
            all.add_surface("guest", guest)
        } else {
            all.add_absent("guest")
        }
        all
    };
    let mut store = RunStore::create(folder.0.join("run"), &topology(flag), &RunInfo::default())?;
    for number in 0..6 {
        match number {
            2 => store.write_topology(number, &with(true))?,
            4 => store.write_topology(number, &with(false))?,
            _ => {}
        }
        let guests = if (2..4).contains(&number) { &guest.positions[..] } else { &[] };
        store.write_frame(number, &Frame::new(number as f64 / 60.0, [&flag.positions, guests].concat()))?;
    }
    let shorter = store.write_topology(6, &topology(flag));
    assert!(shorter.unwrap_err().to_string().contains("the list of bodies, which must begin with those before,"));
    drop(store);
    let store = RunStore::open(folder.0.join("run"))?;
    let counts: Vec<usize> = (0..6).map(|k| store.read_frame(k).unwrap().positions.len()).collect();
    assert_eq!(counts, [12, 12, 27, 27, 12, 12]);
    let options = ExportOptions::default();
    let objects =
        |path: &std::path::Path| std::fs::read_to_string(path).unwrap().lines().filter(|l| l.starts_with("v ")).count();
    let written = export(&store, ExportFormat::Obj, folder.0.join("out/a.obj"), &options)?;
    assert_eq!(written.files.iter().map(|file| objects(file)).collect::<Vec<_>>(), [12, 12, 27, 27, 12, 12]);
    for format in [ExportFormat::Ply, ExportFormat::Vtu] {
        export(&store, format, folder.0.join("out/b").with_extension(format.extension()), &options)?;
    }
    let only = ExportOptions { bodies: Some(vec!["guest".to_owned()]), ..ExportOptions::default() };
    export(&store, ExportFormat::Usda, folder.0.join("out/c.usda"), &only)?;
    let text = std::fs::read_to_string(folder.0.join("out/c.usda"))?;
    assert!(text.contains("def Mesh \"guest\"") && !text.contains("\"flag\""), "{text}");
    let samples: Vec<&str> = text.lines().skip_while(|l| !l.contains("faceVertexCounts")).skip(1).take(3).collect();
    let is_empty: Vec<bool> = samples.iter().map(|sample| sample.ends_with("[],")).collect();
    assert_eq!(is_empty, [true, false, true], "{samples:?}");
    let glb = export(&store, ExportFormat::Glb, folder.0.join("out/d.glb"), &options);
    assert!(glb.unwrap_err().to_string().contains("come or go at frame 2"));
    Ok(())
}
