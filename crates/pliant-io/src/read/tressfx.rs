//! TressFX 4: guide hairs of one number of vertices each. A header of 160 bytes, then arrays at the places that it names; of
//! these the positions are read, four floats for each vertex, strand after strand. The fourth is 0 for what does not move.

use super::assembly::Assembly;
use super::binary::{Binary, ByteOrder, Scalar};
use super::cells::Shape;
use super::error::{Place, Problem, ReadError};
use super::text::check_count;

/// A version, seven counts and places, 32 spare numbers.
const HEADER: usize = 4 * (1 + 7 + 32);
/// Four floats.
const VERTEX: usize = 16;
/// The versions that have this header.
const VERSIONS: std::ops::Range<f64> = 4.0..5.0;

/// Whether a header claims strands that are in the file, whole.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let version = number(0).map_or(f64::NAN, |bits| f64::from(f32::from_bits(bits)));
    let [strands, each, begin] = [4, 8, 12].map(|at| number(at).map_or(0, u64::from));
    let end = strands.saturating_mul(each).saturating_mul(VERTEX as u64).saturating_add(begin);
    VERSIONS.contains(&version) && strands > 0 && each > 1 && begin >= HEADER as u64 && end <= bytes.len() as u64
}

pub(super) fn read(bytes: &[u8], assembly: &mut Assembly) -> Result<(), ReadError> {
    let mut header = Binary::new(bytes, 0, ByteOrder::Little);
    let version = header.number(Scalar::F32, "the version")?;
    if !VERSIONS.contains(&version) {
        return Err(Problem::unexpected("version 4 of TressFX", version.to_string().as_bytes()).at(Place::Byte(0)));
    }
    let mut number = |what: &'static str| header.integer(Scalar::U32, what);
    let (strands, each) = (number("the number of strands")?, number("the number of vertices of a strand")?);
    let begin = number("the place of the positions")? as usize;
    let others = [
        (number("the place of texture coordinates")?, "texture coordinates of strands"),
        (number("the place of texture coordinates")?, "texture coordinates of vertices"),
        (number("the place of thicknesses")?, "thicknesses"),
        (number("the place of colours")?, "colours"),
    ];
    if each < 2 {
        return Err(
            Problem::unexpected("at least two vertices of a strand", each.to_string().as_bytes()).at(Place::Byte(8))
        );
    }
    if begin < HEADER || begin > bytes.len() {
        let problem = Problem::unexpected("positions after the header and in the file", begin.to_string().as_bytes());
        return Err(problem.at(Place::Byte(12)));
    }
    // Both are 32 bits, so that their product fits.
    let vertices = strands as u64 * each as u64;
    check_count("vertices", vertices, bytes.len() - begin, VERTEX).map_err(|problem| problem.at(Place::Byte(4)))?;
    let mut binary = Binary::new(bytes, begin, ByteOrder::Little);
    let mut fixed = 0;
    let mut nodes = Vec::with_capacity(each as usize);
    for _ in 0..strands {
        nodes.clear();
        for _ in 0..each {
            let mut number = || binary.number(Scalar::F32, "coordinate");
            let position = [number()?, number()?, number()?];
            fixed += usize::from(number()? == 0.0);
            nodes.push(assembly.mesh.positions.len() as u32);
            assembly.vertex(position)?;
        }
        assembly.cell(Shape::Polyline, &nodes)?;
    }
    if fixed > 0 {
        assembly.note(format!("{fixed} of {vertices} vertices are marked as fixed; pin them where that is wanted"));
    }
    let left: Vec<&str> = others.iter().filter(|(place, _)| *place > 0).map(|(_, name)| *name).collect();
    if !left.is_empty() {
        assembly.note(format!("{} were left out", left.join(", ")));
    }
    Ok(())
}
