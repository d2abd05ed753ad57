//! Models as bytes.

use std::sync::Arc;

use pliant::upsample::{Provenance, UpsampleError, Upsampler};

use super::{loop_of, methods, sheet, tube, wrinkled};

fn provenance() -> Provenance {
    Provenance { scene: "scenes/flag.toml".into(), date: "2026-11-19".into(), notes: "six poses — tried".into() }
}

#[test]
fn a_model_that_was_stored_shows_the_same_bits() {
    let refinement = loop_of(&sheet(4), 2);
    let training = wrinkled(&refinement, 0..40);
    for method in methods() {
        let (upsampler, _) = Upsampler::fit(&refinement, &training, &method).expect("a model");
        let upsampler = upsampler.with_provenance(provenance());
        let bytes = upsampler.to_bytes();
        let read = Upsampler::from_bytes(&bytes, &refinement).expect("its own bytes");
        assert_eq!((read.method(), read.provenance()), (&method, &provenance()));
        assert!(read.to_bytes() == bytes);
        let [mut a, mut b] = [upsampler.state(), read.state()];
        let (mut x, mut y) = (refinement.fine_mesh().positions.clone(), refinement.fine_mesh().positions.clone());
        for frame in &wrinkled(&refinement, 40..44).sequences[0].frames {
            upsampler.apply(&mut a, &frame.coarse, 0.02, &mut x).expect("a frame");
            read.apply(&mut b, &frame.coarse, 0.02, &mut y).expect("a frame");
            assert!(x == y, "{method:?}");
        }
    }
}

#[test]
fn every_bit_that_changes_and_every_cut_is_noticed() {
    let refinement = loop_of(&sheet(3), 1);
    let training = wrinkled(&refinement, 0..30);
    for method in methods() {
        let (upsampler, _) = Upsampler::fit(&refinement, &training, &method).expect("a model");
        let bytes = upsampler.with_provenance(provenance()).to_bytes();
        let step = (bytes.len() / 199).max(1);
        for at in (0..bytes.len()).step_by(step) {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            let error = Upsampler::from_bytes(&changed, &refinement).expect_err("a changed byte");
            let expected = match at {
                0..8 => matches!(error, UpsampleError::NotAModel),
                8..16 => matches!(error, UpsampleError::Version { .. }),
                _ => matches!(error, UpsampleError::Damaged { .. }),
            };
            assert!(expected, "byte {at}: {error}");
            assert!(Upsampler::from_bytes(&bytes[..at], &refinement).is_err(), "cut at {at}");
        }
        assert!(Upsampler::from_bytes(&[&bytes[..], &[0]].concat(), &refinement).is_err());
    }
    assert_eq!(Upsampler::from_bytes(b"", &refinement).expect_err("nothing"), UpsampleError::NotAModel);
}

#[test]
fn a_model_for_another_mesh_is_refused_by_name() {
    let refinement = loop_of(&sheet(4), 2);
    let (upsampler, _) = Upsampler::fit(&refinement, &wrinkled(&refinement, 0..40), &methods()[0]).expect("a model");
    let bytes = upsampler.with_provenance(provenance()).to_bytes();
    let mut moved = sheet(4);
    moved.positions[3].x += 1e-9;
    let others = [(loop_of(&tube(), 2), "coarse"), (loop_of(&moved, 2), "coarse"), (loop_of(&sheet(4), 1), "fine")];
    for (other, which) in others {
        let error = Upsampler::from_bytes(&bytes, &other).expect_err("another mesh").to_string();
        let expected =
            format!("the upsampling model was made for another {which} mesh: from \"scenes/flag.toml\", fingerprint ");
        assert!(error.starts_with(&expected), "{error}");
    }
    assert!(Upsampler::from_bytes(&bytes, &Arc::new(loop_of(&sheet(4), 2).as_ref().clone())).is_ok());
}
