//! Binary glTF 2.0: a mesh per body, a morph target per frame, and weights that run through them.
//!
//! The mesh itself is the first frame; target k holds the displacements from it to frame k + 1, and at the time of that
//! frame its weight is 1 and all others are 0. Displacements are taken from the rounded first frame, so that the sum is
//! exact to the last digit of single precision. There are no normals: readers then compute them for the deformed shape.
//!
//! ```text
//! "glTF", version u32 = 2, length u32
//! length u32, "JSON", the scene, padded by spaces
//! length u32, "BIN\0": indices | positions of the first frame | displacements, frame by frame | times | weights
//! ```

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::job::{Failure, Job, Output, write_file};
use super::part::Part;
use super::{ExportError, Interpolation};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const POINTS: u32 = 0;
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;
/// Bytes of a position.
const STRIDE: u64 = 12;

pub(super) fn write(job: &Job<'_>) -> Result<Vec<PathBuf>, ExportError> {
    let layout = Layout::measure(job)?;
    let mut text = layout.scene(job).to_string();
    text.push_str(&" ".repeat(text.len().next_multiple_of(4) - text.len()));
    // Header, and the beginnings of two chunks.
    let total = 12 + 8 + text.len() as u64 + 8 + layout.size;
    job.count("bytes", total, u64::from(u32::MAX))?;
    let path = write_file(job.out, |file| {
        file.write_all(b"glTF")?;
        file.write_all(&2u32.to_le_bytes())?;
        file.write_all(&(total as u32).to_le_bytes())?;
        file.write_all(&(text.len() as u32).to_le_bytes())?;
        file.write_all(b"JSON")?;
        file.write_all(text.as_bytes())?;
        file.write_all(&(layout.size as u32).to_le_bytes())?;
        file.write_all(b"BIN\0")?;
        layout.fill(job, file)
    })?;
    Ok(vec![path])
}

/// Smallest and largest coordinates, which readers need before the numbers.
#[derive(Clone, Copy)]
struct Extent {
    min: [f32; 3],
    max: [f32; 3],
}

impl Extent {
    fn of(vectors: &[[f32; 3]]) -> Self {
        let start = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };
        vectors.iter().fold(start, |extent, v| Self {
            min: std::array::from_fn(|c| extent.min[c].min(v[c])),
            max: std::array::from_fn(|c| extent.max[c].max(v[c])),
        })
    }
}

/// What stands where in the binary chunk.
struct Layout {
    /// Indices of each part: triangles, lines, points.
    indices: Vec<[Vec<u32>; 3]>,
    /// The first frame, rounded, for each part.
    base: Vec<Vec<[f32; 3]>>,
    base_extents: Vec<Extent>,
    /// For each later frame and each part.
    extents: Vec<Vec<Extent>>,
    /// Times since the first frame \[s\].
    times: Vec<f32>,
    positions_at: u64,
    times_at: u64,
    weights_at: u64,
    size: u64,
}

impl Layout {
    /// Reads all frames once.
    fn measure(job: &Job<'_>) -> Result<Self, ExportError> {
        let first = job.frame(0)?;
        let rounded = |part| job.singles("the position", job.frames[0], &first.positions, part);
        let base: Vec<Vec<[f32; 3]>> = job.parts.iter().map(rounded).collect::<Result<_, _>>()?;
        let (mut times, mut extents) = (vec![0f32], Vec::new());
        let mut before = first.time;
        for place in 1..job.frames.len() {
            let frame = job.frame(place)?;
            let time = (frame.time - first.time) as f32;
            // Times that single precision cannot tell apart are no times to a reader.
            if !(time.is_finite() && time > times[place - 1]) {
                return Err(ExportError::TimeOrder { frame: job.frames[place], time: frame.time, before });
            }
            before = frame.time;
            times.push(time);
            let displaced =
                job.parts.iter().zip(&base).map(|(part, base)| displacements(job, place, &frame, part, base));
            extents.push(displaced.map(|moved| moved.map(|moved| Extent::of(&moved))).collect::<Result<_, _>>()?);
        }
        let indices: Vec<_> = job.parts.iter().map(indices).collect();
        let positions_at = 4 * indices.iter().flatten().map(|list| list.len() as u64).sum::<u64>();
        let frames = job.frames.len() as u64;
        let times_at = positions_at + STRIDE * job.vertex_count() as u64 * frames;
        let weights_at = times_at + 4 * frames;
        // Without a second frame there is nothing to animate.
        let size = if frames > 1 { weights_at + 4 * frames * (frames - 1) } else { times_at };
        job.count("bytes", size, u64::from(u32::MAX))?;
        let base_extents = base.iter().map(|base| Extent::of(base)).collect();
        Ok(Self { indices, base, base_extents, extents, times, positions_at, times_at, weights_at, size })
    }

    fn scene(&self, job: &Job<'_>) -> Value {
        let targets = job.frames.len() - 1;
        let mut views = vec![json!({
            "buffer": 0, "byteOffset": self.positions_at, "byteLength": self.times_at - self.positions_at,
            "byteStride": STRIDE, "target": ARRAY_BUFFER
        })];
        if self.positions_at > 0 {
            views.push(json!({
                "buffer": 0, "byteOffset": 0, "byteLength": self.positions_at, "target": ELEMENT_ARRAY_BUFFER
            }));
        }
        // Accessors: positions frame by frame and part by part, then indices, then times and weights.
        let mut accessors = Vec::new();
        let mut at = 0;
        for extents in std::iter::once(&self.base_extents).chain(&self.extents) {
            for (part, extent) in job.parts.iter().zip(extents) {
                accessors.push(json!({
                    "bufferView": 0, "byteOffset": at, "componentType": FLOAT, "count": part.vertices.len(),
                    "type": "VEC3", "min": extent.min, "max": extent.max
                }));
                at += STRIDE * part.vertices.len() as u64;
            }
        }
        let (mut meshes, mut nodes, mut index_at) = (Vec::new(), Vec::new(), 0);
        for (place, part) in job.parts.iter().enumerate() {
            let morphs: Vec<Value> =
                (1..=targets).map(|frame| json!({ "POSITION": frame * job.parts.len() + place })).collect();
            let mut primitives = Vec::new();
            for (list, mode) in self.indices[place].iter().zip([TRIANGLES, LINES, POINTS]) {
                if list.is_empty() {
                    continue;
                }
                let mut primitive = json!({
                    "attributes": { "POSITION": place }, "indices": accessors.len(), "material": 0, "mode": mode
                });
                if targets > 0 {
                    primitive["targets"] = morphs.clone().into();
                }
                accessors.push(json!({
                    "bufferView": 1, "byteOffset": index_at, "componentType": UNSIGNED_INT, "count": list.len(),
                    "type": "SCALAR"
                }));
                index_at += 4 * list.len();
                primitives.push(primitive);
            }
            let mut mesh = json!({ "name": part.name, "primitives": primitives });
            if targets > 0 {
                let names: Vec<String> = job.frames[1..].iter().map(|number| format!("frame {number}")).collect();
                mesh["weights"] = vec![0; targets].into();
                mesh["extras"] = json!({ "targetNames": names });
            }
            meshes.push(mesh);
            nodes.push(json!({ "name": part.name, "mesh": place }));
        }
        let mut scene = json!({
            "asset": { "version": "2.0", "generator": concat!("pliant ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
            "nodes": nodes,
            "meshes": meshes,
            // Both sides of a cloth are seen.
            "materials": [{ "doubleSided": true, "pbrMetallicRoughness": { "metallicFactor": 0.0 } }],
            "buffers": [{ "byteLength": self.size }]
        });
        if targets > 0 {
            self.animate(job, &mut scene, &mut accessors, &mut views);
        }
        scene["accessors"] = accessors.into();
        scene["bufferViews"] = views.into();
        scene
    }

    fn animate(&self, job: &Job<'_>, scene: &mut Value, accessors: &mut Vec<Value>, views: &mut Vec<Value>) {
        let (frames, input, output) = (job.frames.len(), accessors.len(), accessors.len() + 1);
        let view = views.len();
        views.push(json!({ "buffer": 0, "byteOffset": self.times_at, "byteLength": self.weights_at - self.times_at }));
        views.push(json!({ "buffer": 0, "byteOffset": self.weights_at, "byteLength": self.size - self.weights_at }));
        accessors.push(json!({
            "bufferView": view, "componentType": FLOAT, "count": frames, "type": "SCALAR",
            "min": [self.times[0]], "max": [self.times[frames - 1]]
        }));
        accessors.push(json!({
            "bufferView": view + 1, "componentType": FLOAT, "count": frames * (frames - 1), "type": "SCALAR"
        }));
        let interpolation = match job.options.interpolation {
            Interpolation::Linear => "LINEAR",
            Interpolation::Step => "STEP",
        };
        let channels: Vec<Value> = (0..job.parts.len())
            .map(|node| json!({ "sampler": 0, "target": { "node": node, "path": "weights" } }))
            .collect();
        scene["animations"] = json!([{
            "name": "simulation",
            "samplers": [{ "input": input, "output": output, "interpolation": interpolation }],
            "channels": channels
        }]);
    }

    /// Reads all frames a second time.
    fn fill(&self, job: &Job<'_>, file: &mut Output) -> Result<(), Failure> {
        for index in self.indices.iter().flatten().flatten() {
            file.write_all(&index.to_le_bytes())?;
        }
        self.base.iter().try_for_each(|base| put(file, base))?;
        for place in 1..job.frames.len() {
            let frame = job.frame(place)?;
            for (part, base) in job.parts.iter().zip(&self.base) {
                put(file, &displacements(job, place, &frame, part, base)?)?;
            }
        }
        if job.frames.len() > 1 {
            self.times.iter().try_for_each(|time| file.write_all(&time.to_le_bytes()))?;
            for frame in 0..job.frames.len() {
                for target in 1..job.frames.len() {
                    file.write_all(&f32::from(u8::from(frame == target)).to_le_bytes())?;
                }
            }
        }
        Ok(())
    }
}

fn put(file: &mut Output, vectors: &[[f32; 3]]) -> Result<(), Failure> {
    vectors.as_flattened().iter().try_for_each(|c| file.write_all(&c.to_le_bytes()))?;
    Ok(())
}

fn indices(part: &Part) -> [Vec<u32>; 3] {
    [part.triangles.as_flattened().to_vec(), part.segments().flatten().collect(), part.points.clone()]
}

/// From the rounded first frame to a later one.
fn displacements(
    job: &Job<'_>,
    place: usize,
    frame: &crate::store::Frame<'_>,
    part: &Part,
    base: &[[f32; 3]],
) -> Result<Vec<[f32; 3]>, ExportError> {
    // Refuses positions that single precision cannot hold.
    job.singles("the position", job.frames[place], &frame.positions, part)?;
    let moved = job.positions(frame, part).zip(base);
    Ok(moved.map(|(p, b)| std::array::from_fn(|c| (p.to_array()[c] - f64::from(b[c])) as f32)).collect())
}
