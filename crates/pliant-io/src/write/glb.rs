//! Binary glTF 2.0: a mesh per body, a morph target per frame, and weights that run through them.
//!
//! The mesh itself is the first frame; target k holds the displacements from it to frame k + 1, and at the time of that
//! frame its weight is 1 and all others are 0. Displacements are taken from the rounded first frame, so that the sum is
//! exact to the last digit of single precision. Normals are written if the options ask for them, with their displacements;
//! otherwise readers compute their own. What stands still has no targets.
//!
//! ```text
//! "glTF", version u32 = 2, length u32
//! length u32, "JSON", the scene, padded by spaces
//! length u32, "BIN\0": indices | positions of the first frame | displacements, frame by frame | times | weights | normals
//!   in the same order | texture coordinates
//! ```

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::extras::normals;
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
    /// For each later frame and each part that moves.
    extents: Vec<Vec<Option<Extent>>>,
    /// Normals in the first frame, for each part; none of parts without triangles.
    normals: Vec<Vec<[f32; 3]>>,
    /// Times since the first frame \[s\].
    times: Vec<f32>,
    positions_at: u64,
    times_at: u64,
    weights_at: u64,
    normals_at: u64,
    texture_at: u64,
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
            let extent = |(part, base): (&Part, &Vec<[f32; 3]>)| match part.is_still {
                true => Ok(None),
                false => displacements(job, place, &frame, part, base).map(|moved| Some(Extent::of(&moved))),
            };
            extents.push(job.parts.iter().zip(&base).map(extent).collect::<Result<_, _>>()?);
        }
        let indices: Vec<_> = job.parts.iter().map(indices).collect();
        let positions_at = 4 * indices.iter().flatten().map(|list| list.len() as u64).sum::<u64>();
        let frames = job.frames.len() as u64;
        let normals: Vec<Vec<[f32; 3]>> = job.parts.iter().map(|part| part_normals(job, &first, part)).collect();
        // All of the first frame, and what moves in the others.
        let vectors = |count: &dyn Fn(usize) -> usize| -> u64 {
            let times = |part: &Part| if part.is_still { 1 } else { frames };
            job.parts.iter().enumerate().map(|(k, part)| STRIDE * count(k) as u64 * times(part)).sum()
        };
        let times_at = positions_at + vectors(&|k| base[k].len());
        let weights_at = times_at + 4 * frames;
        // Without a second frame there is nothing to animate.
        let normals_at = if frames > 1 { weights_at + 4 * frames * (frames - 1) } else { times_at };
        let texture_at = normals_at + vectors(&|k| normals[k].len());
        let size = texture_at + 8 * job.parts.iter().map(|part| part.texture.len() as u64).sum::<u64>();
        job.count("bytes", size, u64::from(u32::MAX))?;
        let base_extents = base.iter().map(|base| Extent::of(base)).collect();
        Ok(Self {
            indices,
            base,
            base_extents,
            extents,
            normals,
            times,
            positions_at,
            times_at,
            weights_at,
            normals_at,
            texture_at,
            size,
        })
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
        let base_extents: Vec<Option<Extent>> = self.base_extents.iter().copied().map(Some).collect();
        // The accessor of each part in each frame.
        let mut positions: Vec<Vec<usize>> = Vec::new();
        for extents in std::iter::once(&base_extents).chain(&self.extents) {
            let mut own = Vec::new();
            for (part, extent) in job.parts.iter().zip(extents) {
                own.push(accessors.len());
                let Some(extent) = extent else { continue };
                accessors.push(json!({
                    "bufferView": 0, "byteOffset": at, "componentType": FLOAT, "count": part.vertices.len(),
                    "type": "VEC3", "min": extent.min, "max": extent.max
                }));
                at += STRIDE * part.vertices.len() as u64;
            }
            positions.push(own);
        }
        let normals = self.normal_accessors(job, &mut accessors, &mut views);
        let textures = self.texture_accessors(job, &mut accessors, &mut views);
        let (mut meshes, mut nodes, mut index_at) = (Vec::new(), Vec::new(), 0);
        for (place, part) in job.parts.iter().enumerate() {
            let targets = if part.is_still { 0 } else { targets };
            // Positions, and normals of triangles.
            let attributes = |frame: usize, mode: u32| {
                let mut own = json!({ "POSITION": positions[frame][place] });
                if let (Some(normal), TRIANGLES) = (normals[frame][place], mode) {
                    own["NORMAL"] = normal.into();
                }
                own
            };
            let mut primitives = Vec::new();
            for (list, mode) in self.indices[place].iter().zip([TRIANGLES, LINES, POINTS]) {
                if list.is_empty() {
                    continue;
                }
                let mut primitive = json!({
                    "attributes": attributes(0, mode), "indices": accessors.len(), "material": 0, "mode": mode
                });
                if let Some(texture) = textures[place] {
                    primitive["attributes"]["TEXCOORD_0"] = texture.into();
                }
                if targets > 0 {
                    primitive["targets"] = (1..=targets).map(|frame| attributes(frame, mode)).collect();
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

    /// The accessor of the normals of each part in each frame, if it has them.
    fn normal_accessors(
        &self,
        job: &Job<'_>,
        accessors: &mut Vec<Value>,
        views: &mut Vec<Value>,
    ) -> Vec<Vec<Option<usize>>> {
        let (view, mut at) = (views.len(), 0);
        let mut found = Vec::new();
        for frame in 0..job.frames.len() {
            let mut own = Vec::new();
            for (part, normals) in job.parts.iter().zip(&self.normals) {
                if normals.is_empty() || (frame > 0 && part.is_still) {
                    own.push(None);
                    continue;
                }
                own.push(Some(accessors.len()));
                accessors.push(json!({
                    "bufferView": view, "byteOffset": at, "componentType": FLOAT, "count": normals.len(), "type": "VEC3"
                }));
                at += STRIDE * normals.len() as u64;
            }
            found.push(own);
        }
        if at > 0 {
            views.push(json!({
                "buffer": 0, "byteOffset": self.normals_at, "byteLength": at, "byteStride": STRIDE, "target": ARRAY_BUFFER
            }));
        }
        found
    }

    /// The accessor of the texture coordinates of each part, if it has them.
    fn texture_accessors(
        &self,
        job: &Job<'_>,
        accessors: &mut Vec<Value>,
        views: &mut Vec<Value>,
    ) -> Vec<Option<usize>> {
        let (view, mut at) = (views.len(), 0);
        let mut found = Vec::new();
        for part in &job.parts {
            if part.texture.is_empty() {
                found.push(None);
                continue;
            }
            found.push(Some(accessors.len()));
            accessors.push(json!({
                "bufferView": view, "byteOffset": at, "componentType": FLOAT, "count": part.texture.len(), "type": "VEC2"
            }));
            at += 8 * part.texture.len() as u64;
        }
        if at > 0 {
            views.push(json!({
                "buffer": 0, "byteOffset": self.texture_at, "byteLength": at, "byteStride": 8, "target": ARRAY_BUFFER
            }));
        }
        found
    }

    fn animate(&self, job: &Job<'_>, scene: &mut Value, accessors: &mut Vec<Value>, views: &mut Vec<Value>) {
        let (frames, input, output) = (job.frames.len(), accessors.len(), accessors.len() + 1);
        let view = views.len();
        views.push(json!({ "buffer": 0, "byteOffset": self.times_at, "byteLength": self.weights_at - self.times_at }));
        views.push(
            json!({ "buffer": 0, "byteOffset": self.weights_at, "byteLength": self.normals_at - self.weights_at }),
        );
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
            .filter(|part| !job.parts[*part].is_still)
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
            for (part, base) in job.parts.iter().zip(&self.base).filter(|(part, _)| !part.is_still) {
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
        self.normals.iter().try_for_each(|normals| put(file, normals))?;
        if self.normals.iter().any(|normals| !normals.is_empty()) {
            for place in 1..job.frames.len() {
                let frame = job.frame(place)?;
                for (part, base) in job.parts.iter().zip(&self.normals).filter(|(part, _)| !part.is_still) {
                    let now = part_normals(job, &frame, part);
                    let turned: Vec<[f32; 3]> =
                        now.iter().zip(base).map(|(n, b)| std::array::from_fn(|c| n[c] - b[c])).collect();
                    put(file, &turned)?;
                }
            }
        }
        let texture = job.parts.iter().flat_map(|part| part.texture.as_flattened());
        texture.into_iter().try_for_each(|c| file.write_all(&c.to_le_bytes()))?;
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

/// Normals of a part in a frame; none if they are not wanted or it has no triangles.
fn part_normals(job: &Job<'_>, frame: &crate::store::Frame<'_>, part: &Part) -> Vec<[f32; 3]> {
    if !job.options.normals || part.triangles.is_empty() {
        return Vec::new();
    }
    normals(part, &job.positions(frame, part).collect::<Vec<_>>())
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
