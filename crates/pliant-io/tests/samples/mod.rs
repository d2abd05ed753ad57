//! One small mesh in every format and encoding: two tets, two of their faces and a polyline over five vertices.
#![allow(clippy::unwrap_used)]
// Each test program uses its own part.
#![allow(dead_code)]

use std::io::{self, Write};

use pliant_io::read::{ImportedMesh, ReadError, ReadOptions, read_mesh_with_companions};

pub(crate) const POSITIONS: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.5, -1.25]];
pub(crate) const TRIANGLES: [[u32; 3]; 2] = [[0, 2, 1], [0, 1, 3]];
pub(crate) const TETS: [[u32; 4]; 2] = [[0, 1, 2, 3], [1, 2, 4, 0]];
pub(crate) const POLYLINE: [u32; 3] = [0, 3, 4];

/// Which elements a format has room for.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Holds {
    Triangles,
    TrianglesAndLine,
    Tets,
    Line,
    All,
}

pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) companions: Vec<(&'static str, Vec<u8>)>,
    pub(crate) holds: Holds,
}

impl Sample {
    pub(crate) fn read(&self, bytes: &[u8], options: &ReadOptions) -> Result<ImportedMesh, ReadError> {
        let mut open = |file: &str| match self.companions.iter().find(|(name, _)| *name == file) {
            Some((_, bytes)) => Ok(bytes.clone()),
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
        };
        read_mesh_with_companions(self.name, bytes, options, &mut open)
    }
}

fn rows<const N: usize, T: ToString>(items: &[[T; N]], prefix: &str, suffix: &str) -> String {
    let row = |item: &[T; N]| item.iter().map(T::to_string).collect::<Vec<_>>().join(" ");
    items.iter().map(|item| format!("{prefix}{}{suffix}\n", row(item))).collect()
}

fn numbered<const N: usize, T: ToString>(items: &[[T; N]], first: usize, separator: &str) -> String {
    let row = |item: &[T; N]| item.iter().map(T::to_string).collect::<Vec<_>>().join(separator);
    items.iter().enumerate().map(|(i, item)| format!("{}{separator}{}\n", i + first, row(item))).collect()
}

fn from_one<const N: usize>(items: &[[u32; N]]) -> Vec<[u32; N]> {
    items.iter().map(|item| item.map(|i| i + 1)).collect()
}

const SEGMENTS: [[u32; 2]; 2] = [[0, 3], [3, 4]];

pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, i| bits << 8 | u32::from(group.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Bytes of numbers in either order.
#[derive(Default)]
struct Packed {
    bytes: Vec<u8>,
    big: bool,
}

impl Packed {
    fn put<const N: usize>(&mut self, mut little: [u8; N]) -> &mut Self {
        if self.big {
            little.reverse();
        }
        self.bytes.extend(little);
        self
    }
    fn int(&mut self, value: i32) -> &mut Self {
        self.put(value.to_le_bytes())
    }
    fn size(&mut self, value: u64) -> &mut Self {
        self.put(value.to_le_bytes())
    }
    fn double(&mut self, value: f64) -> &mut Self {
        self.put(value.to_le_bytes())
    }
    fn float(&mut self, value: f64) -> &mut Self {
        self.put((value as f32).to_le_bytes())
    }
    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend(text.as_bytes());
        self
    }
}

fn obj() -> String {
    let mut text = "# sample\nmtllib none.mtl\no Sample\n".to_owned() + &rows(&POSITIONS, "v ", "");
    text += "vt 0 0\nvt 1 0\nvt 0 1\nvn 0 0 1\nf 1/1/1 3/3/1 2/2/1\nf -5/-3 \\\n -4/-2 -2/-1\nl 1 4 5\n";
    text
}

fn ply(order: Option<bool>) -> Vec<u8> {
    let format = match order {
        None => "ascii",
        Some(false) => "binary_little_endian",
        Some(true) => "binary_big_endian",
    };
    let mut packed = Packed { big: order == Some(true), ..Packed::default() };
    packed.text(&format!(
        "ply\nformat {format} 1.0\ncomment sample\nelement vertex 5\nproperty double x\nproperty uchar red\n"
    ));
    packed.text("property double y\nproperty float z\nelement face 2\nproperty list uchar int vertex_indices\n");
    packed.text("element edge 2\nproperty int vertex1\nproperty int vertex2\nend_header\n");
    if order.is_none() {
        for [x, y, z] in POSITIONS {
            packed.text(&format!("{x} 255 {y} {z}\n"));
        }
        packed.text(&rows(&TRIANGLES, "3 ", "")).text(&rows(&SEGMENTS, "", ""));
        return packed.bytes;
    }
    for [x, y, z] in POSITIONS {
        packed.double(x).put([255]).double(y).float(z);
    }
    for triangle in TRIANGLES {
        packed.put([3]);
        for vertex in triangle {
            packed.int(vertex as i32);
        }
    }
    for segment in SEGMENTS {
        for vertex in segment {
            packed.int(vertex as i32);
        }
    }
    packed.bytes
}

fn stl(binary: bool) -> Vec<u8> {
    let mut packed = Packed::default();
    if binary {
        packed.bytes = [b"solid but binary".as_slice(), &[b' '; 64]].concat();
        packed.int(2);
    } else {
        packed.text("solid a vertex facet\n");
    }
    for triangle in TRIANGLES {
        let corners = triangle.map(|vertex| POSITIONS[vertex as usize]);
        if binary {
            packed.float(0.0).float(0.0).float(1.0);
            for value in corners.as_flattened() {
                packed.float(*value);
            }
            packed.put([0, 0]);
        } else {
            packed.text("facet normal 0 0 nan\n outer loop\n").text(&rows(&corners, "  vertex ", ""));
            packed.text(" endloop\nendfacet\n");
        }
    }
    if !binary {
        packed.text("endsolid a\n");
    }
    packed.bytes
}

/// The buffer, and the document with the buffer's address or without one.
fn gltf(address: Option<&str>) -> (Vec<u8>, String) {
    let mut packed = Packed::default();
    for value in POSITIONS.as_flattened() {
        packed.float(*value);
    }
    for vertex in TRIANGLES.as_flattened().iter().chain(&POLYLINE) {
        packed.put((*vertex as u16).to_le_bytes());
    }
    packed.put([0, 0]);
    let length = packed.bytes.len();
    let uri = address.map_or(String::new(), |uri| format!(",\"uri\":\"{uri}\""));
    // The node's place undoes what is done to it inside.
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
"nodes":[{{"children":[1],"rotation":[0,0.7071067811865476,0,0.7071067811865476],"translation":[1,2,3]}},
{{"mesh":0,"matrix":[0,0,1,0,0,1,0,0,-1,0,0,0,3,-2,-1,1]}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}},{{"attributes":{{"POSITION":0}},"indices":2,"mode":3}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"}},
{{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}},
{{"bufferView":1,"byteOffset":12,"componentType":5123,"count":3,"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteLength":60}},{{"buffer":0,"byteOffset":60,"byteLength":18}}],
"buffers":[{{"byteLength":{length}{uri}}}]}}"#
    );
    (packed.bytes, json)
}

fn glb() -> Vec<u8> {
    let (buffer, mut json) = gltf(None);
    while json.len() % 4 != 0 {
        json.push(' ');
    }
    let mut packed = Packed::default();
    packed.text("glTF").int(2).int((12 + 8 + json.len() + 8 + buffer.len()) as i32);
    packed.int(json.len() as i32).text("JSON").text(&json).int(buffer.len() as i32).text("BIN\0");
    packed.bytes.extend(buffer);
    packed.bytes
}

/// (type, vertices) of all elements, from one.
fn gmsh_elements() -> Vec<(i32, Vec<u32>)> {
    let mut all: Vec<(i32, Vec<u32>)> = from_one(&SEGMENTS).iter().map(|s| (1, s.to_vec())).collect();
    all.extend(from_one(&TRIANGLES).iter().map(|t| (2, t.to_vec())));
    all.extend(from_one(&TETS).iter().map(|t| (4, t.to_vec())));
    all
}

fn gmsh_2(binary: bool) -> Vec<u8> {
    let mut packed = Packed::default();
    let elements = gmsh_elements();
    if !binary {
        packed.text(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"all\"\n$EndPhysicalNames\n$Nodes\n5\n",
        );
        packed.text(&numbered(&POSITIONS, 1, " ")).text("$EndNodes\n$Elements\n6\n");
        for (i, (kind, vertices)) in elements.iter().enumerate() {
            let vertices: Vec<String> = vertices.iter().map(u32::to_string).collect();
            packed.text(&format!("{} {kind} 2 1 1 {}\n", i + 1, vertices.join(" ")));
        }
        packed.text("$EndElements\n");
        return packed.bytes;
    }
    packed.text("$MeshFormat\n2.2 1 8\n").int(1).text("\n$EndMeshFormat\n$Nodes\n5\n");
    for (i, position) in POSITIONS.iter().enumerate() {
        packed.int(i as i32 + 1);
        for value in position {
            packed.double(*value);
        }
    }
    packed.text("\n$EndNodes\n$Elements\n6\n");
    for (i, pair) in elements.chunks(2).enumerate() {
        packed.int(pair[0].0).int(2).int(1);
        for (j, (_, vertices)) in pair.iter().enumerate() {
            packed.int((2 * i + j + 1) as i32).int(7);
            for vertex in vertices {
                packed.int(*vertex as i32);
            }
        }
    }
    packed.text("\n$EndElements\n");
    packed.bytes
}

fn gmsh_41(binary: bool) -> Vec<u8> {
    let mut packed = Packed::default();
    let elements = gmsh_elements();
    // Tags with gaps.
    let tag = |vertex: u32| u64::from(vertex) * 10;
    if !binary {
        packed.text("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n$Nodes\n2 5 10 50\n");
        packed.text("3 1 0 3\n10\n20\n30\n").text(&rows(&POSITIONS[..3], "", ""));
        // A point on a curve has a parameter.
        packed
            .text("1 1 1 2\n40\n50\n")
            .text(&rows(&POSITIONS[3..], "", " 0.5"))
            .text("$EndNodes\n$Elements\n3 6 1 6\n");
        for (i, pair) in elements.chunks(2).enumerate() {
            packed.text(&format!("{} 1 {} 2\n", i + 1, pair[0].0));
            for (j, (_, vertices)) in pair.iter().enumerate() {
                let tags: Vec<String> = vertices.iter().map(|&vertex| tag(vertex).to_string()).collect();
                packed.text(&format!("{} {}\n", 2 * i + j + 1, tags.join(" ")));
            }
        }
        packed.text("$EndElements\n$Surface\n1\n0 1 2\n$EndSurface\n");
        return packed.bytes;
    }
    packed.text("$MeshFormat\n4.1 1 8\n").int(1).text("\n$EndMeshFormat\n$Nodes\n");
    packed.size(1).size(5).size(10).size(50).int(3).int(1).int(0).size(5);
    for vertex in 1..=5 {
        packed.size(tag(vertex));
    }
    for value in POSITIONS.as_flattened() {
        packed.double(*value);
    }
    packed.text("\n$EndNodes\n$Elements\n").size(3).size(6).size(1).size(6);
    for (i, pair) in elements.chunks(2).enumerate() {
        packed.int(i as i32 + 1).int(1).int(pair[0].0).size(2);
        for (_, vertices) in pair {
            packed.size(1);
            for &vertex in vertices {
                packed.size(tag(vertex));
            }
        }
    }
    packed.text("\n$EndElements\n");
    packed.bytes
}

fn medit() -> String {
    let mut text =
        "MeshVersionFormatted 2\n# sample\nDimension\n3\nVertices\n5\n".to_owned() + &rows(&POSITIONS, "", " 0");
    text += &format!("Edges 2\n{}Corners 2\n1\n2\n", rows(&from_one(&SEGMENTS), "", " 1"));
    text += &format!("Triangles\n2\n{}", rows(&from_one(&TRIANGLES), "", " 0"));
    text + &format!("Tetrahedra\n2\n{}\nEnd\n", rows(&from_one(&TETS), "", " 0"))
}

fn vega() -> String {
    let mut text = "# Vega\n*VERTICES\n5 3 0 0\n".to_owned() + &numbered(&POSITIONS, 1, " ");
    text += &format!("*ELEMENTS\nTETS\n2 4 0\n{}", numbered(&from_one(&TETS), 1, ", "));
    text + "*MATERIAL BODY\nENU, 1000, 1E+7, 0.45\n*REGION\nallElements, BODY\n"
}

fn vtk(binary: bool, modern: bool) -> Vec<u8> {
    let mut packed = Packed { big: true, ..Packed::default() };
    let version = if modern { "5.1" } else { "3.0" };
    let encoding = if binary { "BINARY" } else { "ASCII" };
    packed.text(&format!("# vtk DataFile Version {version}\nsample\n{encoding}\nDATASET UNSTRUCTURED_GRID\n"));
    packed.text("POINTS 5 double\n");
    let ints = |packed: &mut Packed, values: &[u32], wide: bool| {
        for &value in values {
            match (binary, wide) {
                (false, _) => packed.text(&format!("{value} ")),
                (true, false) => packed.int(value as i32),
                (true, true) => packed.size(u64::from(value)),
            };
        }
        packed.text("\n");
    };
    for value in POSITIONS.as_flattened() {
        if binary {
            packed.double(*value)
        } else {
            packed.text(&format!("{value} "))
        };
    }
    packed.text("\nMETADATA\nINFORMATION 0\n\n");
    let cells: Vec<&[u32]> = vec![&POLYLINE, &TRIANGLES[0], &TRIANGLES[1], &TETS[0], &TETS[1]];
    if modern {
        packed.text("CELLS 6 17\nOFFSETS vtktypeint64\n");
        ints(&mut packed, &[0, 3, 6, 9, 13, 17], true);
        packed.text("CONNECTIVITY vtktypeint64\n");
        ints(&mut packed, &cells.concat(), true);
    } else {
        packed.text("CELLS 5 22\n");
        let counted: Vec<u32> = cells.iter().flat_map(|c| [&[c.len() as u32], *c].concat()).collect();
        ints(&mut packed, &counted, false);
    }
    packed.text("CELL_TYPES 5\n");
    ints(&mut packed, &[4, 5, 5, 10, 10], false);
    packed.text("POINT_DATA 5\nSCALARS s float\nLOOKUP_TABLE default\n");
    packed.bytes
}

fn polydata() -> Vec<u8> {
    let mut text = "# vtk DataFile Version 3.0\nsample\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n".to_owned();
    text += &rows(&POSITIONS, "", "");
    text += "VERTICES 1 2\n1 0\nLINES 1 4\n3 0 3 4\n";
    (text + "POLYGONS 2 8\n" + &rows(&TRIANGLES, "3 ", "")).into_bytes()
}

#[derive(Clone, Copy, PartialEq)]
enum Vtu {
    Text,
    Base64,
    Zlib,
    Raw,
    AppendedBase64,
}

fn vtu(encoding: Vtu) -> Vec<u8> {
    let cells: Vec<&[u32]> = vec![&POLYLINE, &TRIANGLES[0], &TRIANGLES[1], &TETS[0], &TETS[1]];
    let (mut points, mut vertices, mut ends) = (Packed::default(), Packed::default(), Packed::default());
    for &value in POSITIONS.as_flattened() {
        points.double(value);
    }
    for vertex in cells.concat() {
        vertices.int(vertex as i32);
    }
    for end in [3, 6, 9, 13, 17] {
        ends.size(end);
    }
    let arrays = [
        ("Points", "Float64", rows(&POSITIONS, "", ""), points.bytes),
        ("connectivity", "Int32", cells.concat().iter().map(|v| format!("{v} ")).collect(), vertices.bytes),
        ("offsets", "Int64", "3 6 9 13 17".to_owned(), ends.bytes),
        ("types", "UInt8", "4 5 5 10 10".to_owned(), vec![4, 5, 5, 10, 10]),
    ];
    let compressor = if encoding == Vtu::Zlib { " compressor=\"vtkZLibDataCompressor\"" } else { "" };
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\"{compressor}>\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"5\" NumberOfCells=\"5\">\n"
    );
    let mut appended = Vec::new();
    for (name, kind, words, data) in arrays {
        let open = match name {
            "Points" => "<Points>",
            "connectivity" => "<Cells>",
            _ => "",
        };
        let close = match name {
            "Points" => "</Points>",
            "types" => "</Cells>",
            _ => "",
        };
        let mut plain = Packed::default();
        plain.size(data.len() as u64).bytes.extend(&data);
        let (format, content) = match encoding {
            Vtu::Text => ("ascii\"", words),
            Vtu::Base64 => ("binary\"", base64(&plain.bytes)),
            Vtu::Zlib => {
                // Blocks of 16 bytes, the last one partial.
                let blocks: Vec<Vec<u8>> = data.chunks(16).map(zlib).collect();
                let mut header = Packed::default();
                header.size(blocks.len() as u64).size(16).size(data.len() as u64 % 16);
                for block in &blocks {
                    header.size(block.len() as u64);
                }
                ("binary\"", base64(&header.bytes) + &base64(&blocks.concat()))
            }
            Vtu::Raw | Vtu::AppendedBase64 => ("appended\"", String::new()),
        };
        let offset = if format == "appended\"" { format!(" offset=\"{}\"", appended.len()) } else { String::new() };
        text += &format!("{open}<DataArray type=\"{kind}\" Name=\"{name}\" format=\"{format}{offset}>\n");
        text += &format!("{content}\n</DataArray>{close}\n");
        match encoding {
            Vtu::Raw => appended.extend(plain.bytes),
            Vtu::AppendedBase64 => appended.extend(base64(&plain.bytes).into_bytes()),
            _ => {}
        }
    }
    text += "</Piece>\n</UnstructuredGrid>\n";
    if !appended.is_empty() {
        let name = if encoding == Vtu::Raw { "raw" } else { "base64" };
        text += &format!("<AppendedData encoding=\"{name}\">\n_");
    }
    let mut bytes = text.into_bytes();
    if !appended.is_empty() {
        bytes.extend(appended);
        bytes.extend(b"\n</AppendedData>\n");
    }
    bytes.extend(b"</VTKFile>\n");
    bytes
}

/// One strand, its first vertex fixed, after a header with room for more.
fn tressfx() -> Vec<u8> {
    let mut bytes = 4.0_f32.to_le_bytes().to_vec();
    for number in [1_u32, POLYLINE.len() as u32, 160, 0, 0, 0, 0].into_iter().chain([0; 32]) {
        bytes.extend(number.to_le_bytes());
    }
    for (place, vertex) in POLYLINE.into_iter().enumerate() {
        let [x, y, z] = POSITIONS[vertex as usize];
        for number in [x, y, z, f64::from(u8::from(place > 0))] {
            bytes.extend((number as f32).to_le_bytes());
        }
    }
    bytes
}

pub(crate) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Every format in every encoding.
pub(crate) fn samples() -> Vec<Sample> {
    use Holds::{All, Line, Tets, Triangles, TrianglesAndLine};
    let node = format!("# sample\n5 3 0 1\n{}", numbered(&POSITIONS, 1, "  "));
    let ele = format!("2 4 0\n{}# end\n", numbered(&from_one(&TETS), 1, " "));
    let (buffer, external) = gltf(Some("my%20data.bin"));
    let embedded = gltf(Some(&format!("data:application/octet-stream;base64,{}", base64(&buffer)))).1;
    let sample = |name, bytes: Vec<u8>, holds| Sample { name, bytes, companions: Vec::new(), holds };
    let paired = |name, bytes: &str, companion: (&'static str, &[u8]), holds| Sample {
        name,
        bytes: bytes.as_bytes().to_vec(),
        companions: vec![(companion.0, companion.1.to_vec())],
        holds,
    };
    vec![
        sample("sample.obj", obj().into_bytes(), TrianglesAndLine),
        sample("text.ply", ply(None), TrianglesAndLine),
        sample("little.ply", ply(Some(false)), TrianglesAndLine),
        sample("big.ply", ply(Some(true)), TrianglesAndLine),
        sample("text.stl", stl(false), Triangles),
        sample("binary.stl", stl(true), Triangles),
        sample("packed.glb", glb(), TrianglesAndLine),
        sample("embedded.gltf", embedded.into_bytes(), TrianglesAndLine),
        paired("external.gltf", &external, ("my data.bin", &buffer), TrianglesAndLine),
        sample("two.msh", gmsh_2(false), All),
        sample("two_binary.msh", gmsh_2(true), All),
        sample("four.msh", gmsh_41(false), All),
        sample("four_binary.msh", gmsh_41(true), All),
        sample("sample.mesh", medit().into_bytes(), All),
        paired("pair.node", &node, ("pair.ele", ele.as_bytes()), Tets),
        paired("pair.ele", &ele, ("pair.node", node.as_bytes()), Tets),
        sample("text.vtk", vtk(false, false), All),
        sample("binary.vtk", vtk(true, false), All),
        sample("modern.vtk", vtk(false, true), All),
        sample("modern_binary.vtk", vtk(true, true), All),
        sample("poly.vtk", polydata(), TrianglesAndLine),
        sample("text.vtu", vtu(Vtu::Text), All),
        sample("base64.vtu", vtu(Vtu::Base64), All),
        sample("zlib.vtu", vtu(Vtu::Zlib), All),
        sample("raw.vtu", vtu(Vtu::Raw), All),
        sample("appended.vtu", vtu(Vtu::AppendedBase64), All),
        sample("sample.veg", vega().into_bytes(), Tets),
        sample("hair.tfx", tressfx(), Line),
    ]
}
