//! The frame store keeps what it was given, and names what was damaged.
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::common::{TempDir, frame, info, run, topology};
use pliant::math::Vec3;
use pliant_io::store::{ChannelOn, Damage, DataError, Frame, Item, RunInfo, RunStore, StoreError, Topology, UpAxis};
use serde_json::{Map, Value, json};

fn entry(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn what_is_written_is_read_back_bit_for_bit() {
    let dir = TempDir::new("store");
    let info = RunInfo { frame_rate: 23.976, metres_per_unit: 0.01, up_axis: UpAxis::Z };
    let topology = topology();
    let mut written = RunStore::create(dir.path(), &topology, &info).unwrap();
    for number in 7..10 {
        written.write_frame(number, &frame(&topology, number)).unwrap();
    }
    let read = RunStore::open(dir.path()).unwrap();
    assert_eq!(read.topology(), &topology);
    assert_eq!(read.info(), &info);
    assert_eq!(read.frames(), [7, 8, 9]);
    for number in 7..10 {
        assert_eq!(read.read_frame(number).unwrap(), frame(&topology, number));
    }
    let error = read.read_frame(10).unwrap_err();
    assert!(error.to_string().contains("no frame 10; it has 7 to 9"), "{error}");
}

#[test]
fn every_damaged_byte_of_a_frame_is_noticed() {
    let dir = TempDir::new("store");
    let mut topology = Topology::default();
    topology.add_points("dust", &pliant::mesh::PointSet::new(vec![Vec3::ZERO, Vec3::X]).unwrap());
    let mut store = RunStore::create(dir.path(), &topology, &info()).unwrap();
    store.write_frame(0, &Frame::new(0.5, &topology.rest).with_velocities(&topology.rest)).unwrap();
    let path = store.path(Item::Frame(0));
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&path, bytes).unwrap();
        let error = store.read_frame(0).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. } | StoreError::Version { .. }), "byte {at}: {error}");
    }
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let error = store.read_frame(0).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { damage: Damage::Length { .. }, .. }), "{length} bytes: {error}");
    }
}

#[test]
fn a_truncated_frame_is_named_and_the_others_stay() {
    let dir = TempDir::new("store");
    let store = run(dir.path(), 4);
    let path = store.path(Item::Frame(2));
    let length = fs::metadata(&path).unwrap().len();
    fs::File::options().write(true).open(&path).unwrap().set_len(length - 1).unwrap();
    let store = RunStore::open(dir.path()).unwrap();
    assert_eq!(store.frames(), [0, 1, 3]);
    let (number, error) = &store.damaged()[0];
    let text = error.to_string();
    assert_eq!(*number, 2);
    assert!(text.starts_with("frame 2 is damaged") && text.contains("000002.bin"), "{text}");
    assert!(text.contains(&format!("{} bytes instead of {length}", length - 1)), "{text}");
    assert_eq!(store.verify().len(), 1);
    assert!(store.read_frame(2).is_err());
}

#[test]
fn a_frame_under_another_number_is_noticed() {
    let dir = TempDir::new("store");
    let store = run(dir.path(), 2);
    fs::copy(store.path(Item::Frame(0)), store.path(Item::Frame(1))).unwrap();
    let error = store.read_frame(1).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { damage: Damage::Number { found: 0 }, .. }), "{error}");
}

#[test]
fn counts_that_cannot_be_are_refused_without_allocation() {
    let dir = TempDir::new("store");
    let store = run(dir.path(), 1);
    // A content with a right length and checksum, whose count of vertices is absurd.
    for (item, at) in [(Item::Scene, 24 + 3 * 8), (Item::Frame(0), 24 + 2 * 8)] {
        let path = store.path(item);
        let mut bytes = fs::read(&path).unwrap();
        bytes[at..at + 8].copy_from_slice(&(u64::MAX / 3).to_le_bytes());
        let checksum = crc32fast::hash(&bytes[24..]);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
        fs::write(&path, bytes).unwrap();
    }
    let error = store.read_frame(0).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { damage: Damage::Mismatch { .. }, .. }), "{error}");
    let error = RunStore::open(dir.path()).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { item: Item::Scene, .. }), "{error}");
    // A frame of many terabytes that holds nothing.
    let path = store.path(Item::Frame(0));
    let mut bytes = fs::read(&path).unwrap();
    bytes[16..24].copy_from_slice(&(1u64 << 42).to_le_bytes());
    fs::write(&path, bytes).unwrap();
    if fs::File::options().write(true).open(&path).unwrap().set_len((1 << 42) + 24).is_ok() {
        let error = store.read_frame(0).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { damage: Damage::Count { .. }, .. }), "{error}");
    }
}

#[test]
fn resuming_goes_back_to_the_last_usable_checkpoint() {
    let dir = TempDir::new("store");
    let topology = topology();
    let mut store = run(dir.path(), 0);
    for number in 0..10 {
        for substep in 0..2 {
            store.append_log(number, &entry(&json!({ "substep": substep, "energy": 0.5 }))).unwrap();
        }
        store.write_frame(number, &frame(&topology, number)).unwrap();
        if number % 3 == 0 {
            store.write_checkpoint(number, format!("after {number}").as_bytes()).unwrap();
        }
    }
    assert_eq!(store.checkpoints(), [0, 3, 6, 9]);
    assert!(matches!(RunStore::resume(dir.path()), Err(StoreError::InUse { .. })), "one process writes");
    let path = store.path(Item::Checkpoint(9));
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();

    let (mut store, checkpoint) = RunStore::resume(dir.path()).unwrap();
    assert_eq!((checkpoint.frame, checkpoint.bytes.as_slice()), (6, b"after 6".as_slice()));
    assert_eq!(store.frames(), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(store.checkpoints(), [0, 3, 6]);
    assert_eq!(store.read_log().unwrap().len(), 14);
    store.append_log(7, &entry(&json!({ "substep": 0 }))).unwrap();
    store.write_frame(7, &frame(&topology, 7)).unwrap();
    let log = RunStore::open(dir.path()).unwrap().read_log().unwrap();
    assert_eq!(log.len(), 15);
    assert_eq!(Value::Object(log[14].clone()), json!({ "frame": 7, "substep": 0 }));
}

#[test]
fn a_torn_line_of_the_log_is_dropped_and_a_strange_one_named() {
    let dir = TempDir::new("store");
    let mut store = run(dir.path(), 1);
    store.append_log(0, &entry(&json!({ "residual": 1e-9 }))).unwrap();
    drop(store);
    let path = dir.join("log.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{whole}{{\"frame\":1,\"resid")).unwrap();
    assert_eq!(RunStore::open(dir.path()).unwrap().read_log().unwrap().len(), 1);
    let mut store = RunStore::open_to_write(dir.path()).unwrap();
    store.append_log(1, &Map::new()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{whole}{{\"frame\":1}}\n"));
    fs::write(&path, "{\"frame\":0}\nhello\n").unwrap();
    let error = store.read_log().unwrap_err();
    assert!(matches!(error, StoreError::BadLogLine { line: 2, .. }), "{error}");
}

#[test]
fn unfinished_files_are_removed_only_when_nobody_writes() {
    let dir = TempDir::new("store");
    let store = run(dir.path(), 2);
    let unfinished = dir.join("frames/.000002.bin.77-0.tmp");
    fs::write(&unfinished, b"PLIANTFR").unwrap();
    assert_eq!(RunStore::open(dir.path()).unwrap().frames(), [0, 1]);
    assert!(unfinished.exists(), "its writer may still be at it");
    drop(store);
    assert_eq!(RunStore::open(dir.path()).unwrap().frames(), [0, 1]);
    assert!(!unfinished.exists());
}

#[test]
fn misuse_is_named() {
    let dir = TempDir::new("store");
    let topology = topology();
    let mut store = run(dir.path(), 3);
    let result = store.write_frame(4, &frame(&topology, 4));
    assert!(matches!(result, Err(StoreError::OutOfOrder { frame: 4, expected: 3, .. })));
    let mut bad = frame(&topology, 3);
    bad.positions.to_mut()[5].y = f64::NAN;
    let error = store.write_frame(3, &bad).unwrap_err();
    assert!(error.to_string().starts_with("vertex 5 has the position"), "{error}");
    let short = Frame::new(0.0, vec![Vec3::ZERO]);
    let result = store.write_frame(3, &short);
    assert!(matches!(result, Err(StoreError::Data(DataError::LengthMismatch { found: 1, .. }))));
    let bad = frame(&topology, 3).with_channel("heat", ChannelOn::Tets, vec![0.0; topology.tets.len()]);
    let result = store.write_frame(3, &bad);
    assert!(matches!(result, Err(StoreError::Data(DataError::RepeatedName { .. }))));
    drop(store);
    assert!(matches!(RunStore::create(dir.path(), &topology, &info()), Err(StoreError::AlreadyARun { .. })));
    assert!(matches!(RunStore::open(dir.join("nothing")), Err(StoreError::NoRun { .. })));
    assert!(matches!(RunStore::resume(dir.path()), Err(StoreError::NoCheckpoint { .. })));
    let mut reader = RunStore::open(dir.path()).unwrap();
    assert_eq!(reader.frames().len(), 3, "a resume that fails removes nothing");
    assert!(matches!(reader.write_frame(3, &frame(&topology, 3)), Err(StoreError::ReadOnly { .. })));
}

#[test]
fn a_topology_that_makes_no_sense_is_named() {
    let refuse = |change: fn(&mut Topology)| {
        let mut topology = topology();
        change(&mut topology);
        topology.check().unwrap_err()
    };
    let error = refuse(|t| t.triangles[3][1] = 9999);
    assert!(matches!(error, DataError::IndexOutOfRange { element: "triangle", index: 3, vertex: 9999, .. }));
    let error = refuse(|t| t.triangles[0][0] = t.bodies[1].vertices.start as u32);
    assert!(matches!(error, DataError::AcrossBodies { element: "triangle", index: 0, .. }), "{error}");
    let error = refuse(|t| t.bodies[1].vertices.start -= 1);
    assert!(matches!(error, DataError::BodyRange { .. }), "{error}");
    let error = refuse(|t| t.bodies[0].name = "dust".to_owned());
    assert!(matches!(error, DataError::RepeatedName { what: "bodies", .. }), "{error}");
    let error = refuse(|t| drop(t.bodies.pop()));
    assert!(matches!(error, DataError::NotCovered { .. }), "{error}");
    let error = refuse(|t| t.polylines.push_row(&[]));
    assert!(matches!(error, DataError::ShortPolyline { index: 2, vertices: 0 }), "{error}");
    let info = RunInfo { frame_rate: 0.0, ..RunInfo::default() };
    let dir = TempDir::new("store");
    assert!(RunStore::create(dir.path(), &topology(), &info).is_err());
}

#[test]
fn a_folder_in_use_is_refused_with_the_process_that_holds_it() {
    let dir = TempDir::new("store");
    let topology = topology();
    let mut store = run(dir.path(), 3);
    let refused = [
        RunStore::create(dir.path(), &topology, &info()).map(drop),
        RunStore::replace(dir.path(), &topology, &info(), &[]).map(drop),
        RunStore::open_to_write(dir.path()).map(drop),
    ];
    for error in refused.map(Result::unwrap_err) {
        let text = error.to_string();
        let StoreError::InUse { holder: Some(holder), .. } = error else { panic!("{text}") };
        assert_eq!(holder.process, std::process::id());
        assert!(text.contains(&format!("process {} (", holder.process)) && text.contains(&holder.command), "{text}");
    }
    fs::write(dir.join("lock"), "who knows").unwrap();
    let error = RunStore::open_to_write(dir.path()).unwrap_err();
    assert!(matches!(error, StoreError::InUse { holder: None, .. }), "{error}");
    store.write_frame(3, &frame(&topology, 3)).unwrap();
    store.check_complete().unwrap();
}

#[test]
fn a_replaced_run_leaves_nothing_but_what_is_not_its_own() {
    let dir = TempDir::new("store");
    let topology = topology();
    let mut store = run(dir.path(), 3);
    store.write_checkpoint(2, b"x").unwrap();
    drop(store);
    fs::create_dir(dir.join("pictures")).unwrap();
    for name in ["pictures/a.png", "plot.svg", "notes.txt"] {
        fs::write(dir.join(name), "x").unwrap();
    }
    let store = RunStore::replace(dir.path(), &topology, &info(), &["pictures", "plot.svg", "not-there"]).unwrap();
    assert!(store.frames().is_empty() && store.checkpoints().is_empty() && store.read_log().unwrap().is_empty());
    let left: Vec<bool> = ["pictures", "plot.svg", "notes.txt"].iter().map(|name| dir.join(name).exists()).collect();
    assert_eq!(left, [false, false, true]);
    // A folder without a run keeps what only looks as if it belonged to one.
    let other = TempDir::new("store");
    fs::write(other.join("plot.svg"), "mine").unwrap();
    RunStore::replace(other.path(), &topology, &info(), &["plot.svg"]).unwrap();
    assert!(other.join("plot.svg").exists());
}

#[test]
fn a_writer_notices_that_its_files_are_gone() {
    let topology = topology();
    let lose = |name: &str, missing: &str| {
        let dir = TempDir::new("store");
        let mut store = run(dir.path(), 3);
        store.write_checkpoint(2, b"x").unwrap();
        fs::remove_file(dir.join(name)).unwrap();
        let written = store.write_frame(3, &frame(&topology, 3));
        let saved = store.write_checkpoint(2, b"x");
        for error in [Some(saved.unwrap_err()), written.err(), store.check_complete().err()].into_iter().flatten() {
            let StoreError::Vanished { path } = error else { panic!("{error}") };
            assert_eq!(path, dir.join(missing));
        }
    };
    for name in ["lock", "scene.bin", "frames/000000.bin", "frames/000002.bin"] {
        lose(name, name);
    }
    let dir = TempDir::new("store");
    let mut store = run(dir.path(), 3);
    fs::remove_dir_all(dir.path()).unwrap();
    let error = store.write_frame(3, &frame(&topology, 3)).unwrap_err();
    assert!(matches!(error, StoreError::Vanished { .. }), "{error}");
    assert!(!dir.path().exists(), "the folder is not made again");
}

#[test]
fn a_checkpoint_beyond_a_missing_frame_is_passed_over() {
    let dir = TempDir::new("store");
    let topology = topology();
    let mut store = run(dir.path(), 0);
    for number in 0..10 {
        store.write_frame(number, &frame(&topology, number)).unwrap();
        if number % 3 == 0 {
            store.write_checkpoint(number, b"x").unwrap();
        }
    }
    let path = |item| store.path(item);
    fs::remove_file(path(Item::Frame(5))).unwrap();
    fs::write(path(Item::Checkpoint(3)), b"PLIANTCK").unwrap();
    drop(store);
    let store = RunStore::open(dir.path()).unwrap();
    let mut passed = Vec::new();
    let found = store.last_checkpoint_after(|error| passed.push(error.to_string())).unwrap().unwrap();
    assert_eq!((found.frame, passed.len()), (0, 3));
    assert!(passed[0].contains("checkpoint 9") && passed[0].contains("frame 5 before it is missing"), "{}", passed[0]);
    assert!(passed[1].contains("checkpoint 6") && passed[2].contains("checkpoint 3 is damaged"), "{passed:?}");
}
