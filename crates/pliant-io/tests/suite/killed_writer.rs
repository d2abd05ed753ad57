//! A process that is killed while it writes leaves whole frames only.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::TempDir;
use pliant::math::Vec3;
use pliant::mesh::PointSet;
use pliant_io::store::{Frame, RunInfo, RunStore, StoreError, Topology};
use serde_json::Map;

const DIR: &str = "PLIANT_KILL_TEST_DIR";
const ROUNDS: u32 = 30;
/// Enough that a frame takes about as long to write as to make.
const VERTICES: u32 = 20_000;

fn topology() -> Topology {
    let mut topology = Topology::default();
    let points = (0..VERTICES).map(|vertex| Vec3::splat(f64::from(vertex))).collect();
    topology.add_points("dust", &PointSet::new(points).unwrap());
    topology
}

fn frame(topology: &Topology, number: u64) -> Frame<'static> {
    let positions: Vec<Vec3> = topology.rest.iter().map(|rest| *rest + Vec3::X * number as f64).collect();
    Frame::new(number as f64, positions)
}

/// Not a test: what the killed process runs.
#[test]
#[ignore = "run by the test below"]
fn child_that_writes_until_it_is_killed() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let topology = topology();
    let (mut store, mut number) = match RunStore::resume(&dir) {
        Ok((store, checkpoint)) => {
            assert_eq!(checkpoint.bytes, checkpoint.frame.to_le_bytes());
            (store, checkpoint.frame + 1)
        }
        Err(StoreError::NoRun { .. }) => (RunStore::create(&dir, &topology, &RunInfo::default()).unwrap(), 0),
        Err(StoreError::NoCheckpoint { .. }) => {
            let mut store = RunStore::open_to_write(&dir).unwrap();
            store.truncate_after(None).unwrap();
            (store, 0)
        }
        Err(other) => panic!("{other}"),
    };
    loop {
        store.append_log(number, &Map::new()).unwrap();
        store.write_frame(number, &frame(&topology, number)).unwrap();
        if number % 5 == 4 {
            store.write_checkpoint(number, &number.to_le_bytes()).unwrap();
        }
        number += 1;
    }
}

#[test]
fn a_killed_writer_leaves_whole_frames_only() {
    let dir = TempDir::new("kill");
    let topology = topology();
    let (mut unfinished, mut most, mut random) = (0, 0, 0x2545_f491_4f6c_dd1d_u64);
    for round in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed_writer::child_that_writes_until_it_is_killed", "--ignored"])
            .env(DIR, dir.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(Duration::from_micros(5_000 + random % 100_000));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert!(status.code().is_none(), "round {round}: the writer failed by itself: {status}");

        let temporary = |folder: &str| {
            let entries = std::fs::read_dir(dir.join(folder)).map(Iterator::collect::<Vec<_>>).unwrap_or_default();
            entries
                .into_iter()
                .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".tmp"))
                .count()
        };
        unfinished += temporary("frames");
        let store = match RunStore::open(dir.path()) {
            // Killed before the run had begun.
            Err(StoreError::NoRun { .. }) if most == 0 => continue,
            other => other.unwrap(),
        };
        assert_eq!(temporary("frames") + temporary("checkpoints") + temporary(""), 0);
        let count = store.frames().len();
        assert_eq!(store.frames(), (0..count as u64).collect::<Vec<_>>(), "no gaps");
        assert!(store.damaged().is_empty());
        // The last frames are those that an interruption could have touched.
        for &number in store.frames().iter().rev().take(8) {
            assert_eq!(store.read_frame(number).unwrap(), frame(&topology, number));
        }
        let log = store.read_log().unwrap();
        assert!(log.len() >= count, "{} entries for {count} frames", log.len());
        assert!((0u64..).zip(&log).all(|(number, entry)| entry["frame"] == number), "no entries are lost or doubled");
        if let Some(last) = store.checkpoints().last() {
            assert_eq!(store.last_checkpoint().unwrap().unwrap().frame, *last);
            assert!((*last as usize) < count);
        }
        most = most.max(count);
    }
    assert!(most > 5, "the writer got to {most} frames only");
    println!("{ROUNDS} writers killed, {most} frames, {unfinished} kills in the middle of a frame");
}
