//! glTF 2.0: JSON that describes nodes, meshes, accessors and buffers; `.glb` packs it with one buffer.
//!
//! Every node of the scene adds its mesh with the transform of the node. Materials, skins, morph targets and animations
//! are ignored.

use std::collections::HashMap;

use pliant::math::{Mat3, Vec3};
use serde_json::Value;

use super::assembly::Assembly;
use super::binary::{Binary, ByteOrder, Scalar, decode_base64};
use super::cells::Shape;
use super::companion::Companions;
use super::error::{Place, Problem, ReadError};
use super::text::check_count;

pub(super) fn read(bytes: &[u8], companions: &mut Companions<'_>, assembly: &mut Assembly) -> Result<(), ReadError> {
    let (json, packed) = unpack(bytes)?;
    let root: Value = serde_json::from_slice(json).map_err(|error| {
        let problem = Problem::Unexpected { expected: "JSON", found: error.to_string() };
        problem.at(if packed.is_none() { Place::Line(error.line()) } else { Place::File })
    })?;
    if !root["meshes"].is_null() {
        let compressed = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];
        for extension in list(&root, "extensionsRequired").iter().filter_map(Value::as_str) {
            if compressed.contains(&extension) {
                return Err(Problem::Unsupported { what: format!("glTF extension {extension}") }.of_file());
            }
        }
    }
    if !list(&root, "skins").is_empty() {
        assembly.note("skins were left out: the mesh is in its bind pose");
    }
    let buffers = Buffers::load(&root, packed, companions)?;
    Document { root: &root, buffers }.add_scene(assembly)
}

/// The JSON and the packed buffer.
fn unpack(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), ReadError> {
    const JSON: i64 = 0x4e4f_534a;
    const BIN: i64 = 0x004e_4942;
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), None));
    }
    let mut binary = Binary::new(bytes, 4, ByteOrder::Little);
    let version = binary.integer(Scalar::U32, "version")?;
    if version != 2 {
        return Err(Problem::Unsupported { what: format!("glTF version {version}") }.at(Place::Byte(4)));
    }
    binary.integer(Scalar::U32, "length of the file")?;
    let (mut json, mut packed): (Option<&[u8]>, &[u8]) = (None, b"");
    while binary.remaining() >= 8 {
        let length = binary.integer(Scalar::U32, "length of a chunk")?;
        let kind = binary.integer(Scalar::U32, "kind of a chunk")?;
        let chunk = binary.take(usize::try_from(length).unwrap_or(usize::MAX), "a chunk")?;
        match kind {
            JSON if json.is_none() => json = Some(chunk),
            BIN if packed.is_empty() => packed = chunk,
            _ => {}
        }
    }
    let json = json.ok_or_else(|| Problem::Truncated { expected: "a chunk of JSON" }.at(binary.place()))?;
    Ok((json, Some(packed)))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// An index or a count; `None` where the key is absent.
fn whole(value: &Value, key: &str, path: &str) -> Result<Option<usize>, ReadError> {
    match &value[key] {
        Value::Null => Ok(None),
        found => match found.as_u64().and_then(|number| usize::try_from(number).ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(Problem::unexpected("a whole number", found.to_string().as_bytes())
                .at(Place::Path(format!("{path}.{key}")))),
        },
    }
}

/// An entry of one of the document's lists.
fn entry<'a>(root: &'a Value, key: &'static str, index: usize, path: &str) -> Result<&'a Value, ReadError> {
    let entries = list(root, key);
    entries.get(index).ok_or_else(|| {
        let what = if key == "meshes" { "mesh" } else { key.strip_suffix('s').unwrap_or(key) };
        let problem = Problem::IndexOutOfRange { what, index: index as i64, count: entries.len() };
        problem.at(Place::Path(path.to_owned()))
    })
}

/// The data of all buffers.
struct Buffers<'a> {
    packed: &'a [u8],
    /// Loaded data by its address, so that buffers with the same address share it.
    loaded: HashMap<&'a str, Vec<u8>>,
}

impl<'a> Buffers<'a> {
    fn load(root: &'a Value, packed: Option<&'a [u8]>, companions: &mut Companions<'_>) -> Result<Self, ReadError> {
        let mut loaded: HashMap<&str, Vec<u8>> = HashMap::new();
        for (i, buffer) in list(root, "buffers").iter().enumerate() {
            let Some(uri) = buffer["uri"].as_str().filter(|uri| !loaded.contains_key(uri)) else { continue };
            let at = |problem: Problem| problem.at(Place::Path(format!("buffers[{i}].uri")));
            let data = match uri.strip_prefix("data:") {
                Some(data) => match data.split_once(";base64,") {
                    Some((_, text)) => decode_base64(text.as_bytes()).map_err(at)?,
                    None => return Err(at(Problem::unexpected("base64 data", uri.as_bytes()))),
                },
                None => companions
                    .read(&percent_decoded(uri))
                    .map_err(|error| if error.file.is_empty() { at(error.problem) } else { error })?,
            };
            loaded.insert(uri, data);
        }
        Ok(Self { packed: packed.unwrap_or_default(), loaded })
    }

    fn get(&self, buffer: &Value) -> &[u8] {
        match buffer["uri"].as_str() {
            Some(uri) => self.loaded.get(uri).map_or(&[], Vec::as_slice),
            None => self.packed,
        }
    }
}

/// `%20` and the like as what they stand for.
fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| byte == b'%').and_then(|hex| str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Where a node stands: x ↦ linear · x + offset.
#[derive(Clone, Copy)]
struct Placement {
    linear: Mat3,
    offset: Vec3,
}

impl Placement {
    const IDENTITY: Self = Self { linear: Mat3::IDENTITY, offset: Vec3::ZERO };

    fn of_node(node: &Value, path: &str) -> Result<Self, ReadError> {
        if let Some(m) = numbers::<16>(node, "matrix", path)? {
            let column = |i: usize| Vec3::new(m[4 * i], m[4 * i + 1], m[4 * i + 2]);
            return Ok(Self { linear: Mat3::from_cols(column(0), column(1), column(2)), offset: column(3) });
        }
        let offset = numbers(node, "translation", path)?.map_or(Vec3::ZERO, Vec3::from_array);
        let scale = numbers(node, "scale", path)?.map_or(Vec3::ONE, Vec3::from_array);
        let rotation = numbers(node, "rotation", path)?.map_or(Mat3::IDENTITY, rotation);
        Ok(Self { linear: rotation * Mat3::from_diagonal(scale), offset })
    }

    fn then(self, inner: Self) -> Self {
        Self { linear: self.linear * inner.linear, offset: self.linear * inner.offset + self.offset }
    }
}

/// The matrix of a quaternion (x, y, z, w), of any length but zero.
fn rotation([x, y, z, w]: [f64; 4]) -> Mat3 {
    let square = x * x + y * y + z * z + w * w;
    if square == 0.0 {
        return Mat3::IDENTITY;
    }
    let s = 2.0 / square;
    Mat3::from_cols(
        Vec3::new(1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)),
        Vec3::new(s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)),
        Vec3::new(s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)),
    )
}

/// A list of exactly N numbers; `None` where the key is absent.
fn numbers<const N: usize>(value: &Value, key: &str, path: &str) -> Result<Option<[f64; N]>, ReadError> {
    let found = &value[key];
    if found.is_null() {
        return Ok(None);
    }
    let items: Vec<f64> = list(value, key).iter().filter_map(Value::as_f64).collect();
    match <[f64; N]>::try_from(items) {
        Ok(numbers) => Ok(Some(numbers)),
        Err(_) => Err(Problem::unexpected("a list of numbers", found.to_string().as_bytes())
            .at(Place::Path(format!("{path}.{key}")))),
    }
}

struct Document<'a> {
    root: &'a Value,
    buffers: Buffers<'a>,
}

impl Document<'_> {
    /// Adds all nodes below the scene's roots.
    fn add_scene(&self, assembly: &mut Assembly) -> Result<(), ReadError> {
        let nodes = list(self.root, "nodes");
        let mut waiting: Vec<(usize, Placement)> =
            self.roots()?.into_iter().rev().map(|i| (i, Placement::IDENTITY)).collect();
        // Nodes are trees. One met twice is part of a cycle, or of a web that unfolds without end.
        let mut met = vec![false; nodes.len()];
        while let Some((index, outer)) = waiting.pop() {
            let path = format!("nodes[{index}]");
            let node = entry(self.root, "nodes", index, &path)?;
            if std::mem::replace(&mut met[index], true) {
                let problem = Problem::unexpected("a tree of nodes", b"a node with two parents");
                return Err(problem.at(Place::Path(path)));
            }
            let placement = outer.then(Placement::of_node(node, &path)?);
            if let Some(mesh) = whole(node, "mesh", &path)? {
                self.add_mesh(mesh, &path, placement, assembly)?;
            }
            for child in list(node, "children").iter().rev() {
                waiting.push((index_of(child, &path)?, placement));
            }
        }
        Ok(())
    }

    fn roots(&self) -> Result<Vec<usize>, ReadError> {
        let scene = whole(self.root, "scene", "")?.unwrap_or(0);
        if !list(self.root, "scenes").is_empty() {
            let path = format!("scenes[{scene}]");
            let scene = entry(self.root, "scenes", scene, "scene")?;
            return list(scene, "nodes").iter().map(|node| index_of(node, &path)).collect();
        }
        // A library of meshes: all nodes that are no one's children.
        let nodes = list(self.root, "nodes");
        let mut is_root = vec![true; nodes.len()];
        for child in nodes.iter().flat_map(|node| list(node, "children")) {
            if let Some(flag) = child.as_u64().and_then(|i| is_root.get_mut(usize::try_from(i).ok()?)) {
                *flag = false;
            }
        }
        Ok((0..nodes.len()).filter(|&i| is_root[i]).collect())
    }

    fn add_mesh(
        &self,
        mesh: usize,
        node: &str,
        placement: Placement,
        assembly: &mut Assembly,
    ) -> Result<(), ReadError> {
        let mesh_value = entry(self.root, "meshes", mesh, &format!("{node}.mesh"))?;
        for (i, primitive) in list(mesh_value, "primitives").iter().enumerate() {
            let path = format!("meshes[{mesh}].primitives[{i}]");
            self.add_primitive(primitive, &path, placement, assembly)?;
        }
        Ok(())
    }

    fn add_primitive(
        &self,
        primitive: &Value,
        path: &str,
        placement: Placement,
        assembly: &mut Assembly,
    ) -> Result<(), ReadError> {
        let Some(positions) = whole(&primitive["attributes"], "POSITION", path)? else {
            assembly.note(format!("{path} has no positions and was left out"));
            return Ok(());
        };
        let first = assembly.mesh.positions.len();
        let mut component = 0;
        let mut point = [0.0; 3];
        let count = self.accessor(positions, "VEC3", |value| {
            point[component] = value;
            component = (component + 1) % 3;
            if component > 0 {
                return Ok(());
            }
            let placed = placement.linear * Vec3::from_array(point) + placement.offset;
            assembly.vertex(placed.to_array())
        })?;
        let mut indices: Vec<u32> = Vec::new();
        match whole(primitive, "indices", path)? {
            Some(accessor) => {
                self.accessor(accessor, "SCALAR", |value| {
                    let index = super::assembly::resolve("vertex", value as i64, 0, count);
                    indices.push(index.map_err(|problem| problem.of_file())? + first as u32);
                    Ok(())
                })?;
            }
            None => indices.extend((first..first + count).map(|vertex| vertex as u32)),
        }
        // A mirror image is wound the other way round.
        let mirrored = placement.linear.determinant() < 0.0;
        add_elements(whole(primitive, "mode", path)?, &indices, mirrored, assembly)
    }

    /// Calls `each` with all components of an accessor's elements. Returns the number of elements.
    fn accessor(
        &self,
        index: usize,
        kind: &'static str,
        mut each: impl FnMut(f64) -> Result<(), ReadError>,
    ) -> Result<usize, ReadError> {
        let path = format!("accessors[{index}]");
        let at = |problem: Problem| problem.at(Place::Path(path.clone()));
        let accessor = entry(self.root, "accessors", index, &path)?;
        if accessor["type"] != kind {
            return Err(at(Problem::unexpected(kind, accessor["type"].to_string().as_bytes())));
        }
        if !accessor["sparse"].is_null() {
            return Err(at(Problem::Unsupported { what: "a sparse accessor".to_owned() }));
        }
        let components = if kind == "VEC3" { 3 } else { 1 };
        let (scalar, largest) = match accessor["componentType"].as_u64() {
            Some(5120) => (Scalar::I8, 127.0),
            Some(5121) => (Scalar::U8, 255.0),
            Some(5122) => (Scalar::I16, 32767.0),
            Some(5123) => (Scalar::U16, 65535.0),
            Some(5125) => (Scalar::U32, 4_294_967_295.0),
            Some(5126) => (Scalar::F32, 1.0),
            _ => {
                return Err(at(Problem::unexpected(
                    "a component type",
                    accessor["componentType"].to_string().as_bytes(),
                )));
            }
        };
        let Some(view) = whole(accessor, "bufferView", &path)? else {
            return Err(at(Problem::Unsupported { what: "an accessor without data".to_owned() }));
        };
        let (data, stride) = self.view(view)?;
        let size = components * scalar.size();
        let stride = stride.unwrap_or(size);
        if stride < size {
            let (found, expected) = (stride as u64, size as u64);
            return Err(at(Problem::Mismatch { what: "byte stride", found, expected }));
        }
        let claimed = whole(accessor, "count", &path)?.unwrap_or(0);
        let offset = whole(accessor, "byteOffset", &path)?.unwrap_or(0);
        // The last element need not be followed by the gap that separates the others.
        let available = data.len().saturating_sub(offset).saturating_add(stride - size);
        let count = check_count("elements", claimed as u64, available, stride).map_err(at)?;
        let factor = if accessor["normalized"] == true && scalar != Scalar::F32 { 1.0 / largest } else { 1.0 };
        for element in 0..count {
            let mut binary = Binary::new(data, offset + element * stride, ByteOrder::Little);
            for _ in 0..components {
                let value = binary.number(scalar, "coordinate").map_err(|error| at(error.problem))?;
                each(value * factor)
                    .map_err(|error| if error.place == Place::File { at(error.problem) } else { error })?;
            }
        }
        Ok(count)
    }

    /// The bytes of a view into a buffer, and its stride.
    fn view(&self, index: usize) -> Result<(&[u8], Option<usize>), ReadError> {
        let path = format!("bufferViews[{index}]");
        let view = entry(self.root, "bufferViews", index, &path)?;
        let buffer = whole(view, "buffer", &path)?.unwrap_or(0);
        let buffer = self.buffers.get(entry(self.root, "buffers", buffer, &path)?);
        let offset = whole(view, "byteOffset", &path)?.unwrap_or(0);
        let length = whole(view, "byteLength", &path)?.unwrap_or(0);
        let data = offset.checked_add(length).and_then(|end| buffer.get(offset..end));
        let data = data.ok_or_else(|| {
            let (claimed, available) = (offset.saturating_add(length) as u64, buffer.len() as u64);
            Problem::ImpossibleCount { what: "bytes", claimed, available, possible: available }
                .at(Place::Path(path.clone()))
        })?;
        Ok((data, whole(view, "byteStride", &path)?.filter(|&stride| stride > 0)))
    }
}

fn index_of(value: &Value, path: &str) -> Result<usize, ReadError> {
    value
        .as_u64()
        .and_then(|index| usize::try_from(index).ok())
        .ok_or_else(|| Problem::unexpected("a node", value.to_string().as_bytes()).at(Place::Path(path.to_owned())))
}

/// Points, lines, loops, strips, triangles and fans, by glTF's number for them.
fn add_elements(
    mode: Option<usize>,
    indices: &[u32],
    mirrored: bool,
    assembly: &mut Assembly,
) -> Result<(), ReadError> {
    let first_triangle = assembly.mesh.triangles.len();
    match mode.unwrap_or(4) {
        // Nothing to add, but counted: many may share one list.
        0 => indices.iter().try_for_each(|&vertex| assembly.cell(Shape::Point, &[vertex]))?,
        1 => indices.chunks_exact(2).try_for_each(|ends| assembly.cell(Shape::Segment, ends))?,
        2 => {
            let closed: Vec<u32> = indices.iter().chain(indices.first()).copied().collect();
            assembly.cell(Shape::Polyline, &closed)?;
        }
        3 => assembly.cell(Shape::Polyline, indices)?,
        4 => indices.chunks_exact(3).try_for_each(|corners| assembly.cell(Shape::Triangle, corners))?,
        5 => assembly.cell(Shape::Strip, indices)?,
        6 => {
            for pair in indices.get(1..).unwrap_or_default().windows(2) {
                assembly.cell(Shape::Triangle, &[indices[0], pair[0], pair[1]])?;
            }
        }
        other => return Err(Problem::unexpected("a primitive mode", other.to_string().as_bytes()).of_file()),
    }
    if mirrored {
        for triangle in &mut assembly.mesh.triangles[first_triangle..] {
            triangle.swap(1, 2);
        }
    }
    Ok(())
}
