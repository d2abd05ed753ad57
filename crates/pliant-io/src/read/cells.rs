//! Cells of other programs into triangles, tetrahedra and polylines.
//!
//! A solid cell is cut into tets from its lowest-numbered vertex: each quadrilateral face is split along the diagonal from
//! its own lowest-numbered vertex, so that neighbours agree on their common face without knowing of each other
//! [Dompierre 1999, How to subdivide pyramids, prisms and hexahedra into tetrahedra].

/// What a cell is. Corners come first in the lists of higher-order cells, and only they are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A single vertex; nothing to make of it.
    Point,
    /// A segment.
    Segment,
    /// Two or more vertices in a row.
    Polyline,
    /// Three vertices.
    Triangle,
    /// Four vertices around a face.
    Quad,
    /// Three or more vertices around a face.
    Polygon,
    /// Triangles of each three successive vertices, alternately wound.
    Strip,
    /// A rectangle whose third and fourth vertices are swapped.
    Pixel,
    /// Four vertices, the fourth on the side that the first three's normal points to.
    Tet,
    /// A base of four, counter-clockwise seen from the fifth.
    Pyramid,
    /// A base of three, counter-clockwise seen from the other three, which lie above them in the same order.
    Prism,
    /// A base of four, counter-clockwise seen from the other four, which lie above them in the same order.
    Hex,
    /// A box whose vertices are sorted by x, then y, then z.
    Voxel,
}

impl Shape {
    /// How many corners it has, where that is fixed.
    pub(super) fn corners(self) -> Option<usize> {
        match self {
            Self::Polyline | Self::Polygon | Self::Strip => None,
            Self::Point => Some(1),
            Self::Segment => Some(2),
            Self::Triangle => Some(3),
            Self::Quad | Self::Pixel | Self::Tet => Some(4),
            Self::Pyramid => Some(5),
            Self::Prism => Some(6),
            Self::Hex | Self::Voxel => Some(8),
        }
    }
}

/// Faces of the cells, seen from outside counter-clockwise.
const PYRAMID: [&[usize]; 5] = [&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]];
const PRISM: [&[usize]; 5] = [&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];
const HEX: [&[usize]; 6] = [&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];

/// Cuts a pyramid, prism or hex into tets.
pub(super) fn split(shape: Shape, nodes: &[u32]) -> Vec<[u32; 4]> {
    let reordered: [u32; 8];
    let (nodes, faces): (&[u32], &[&[usize]]) = match shape {
        Shape::Pyramid => (nodes, &PYRAMID),
        Shape::Prism => (nodes, &PRISM),
        Shape::Voxel => {
            reordered = [0, 1, 3, 2, 4, 5, 7, 6].map(|i| nodes[i]);
            (&reordered, &HEX)
        }
        _ => (nodes, &HEX),
    };
    // The first of equals, where a degenerate cell names a vertex twice.
    let lowest = |among: &[usize]| among.iter().enumerate().min_by_key(|&(_, &i)| nodes[i]).map_or(0, |(at, _)| at);
    let all: Vec<usize> = (0..shape.corners().unwrap_or(0)).collect();
    let apex = lowest(&all);
    let mut tets = Vec::with_capacity(6);
    for face in faces.iter().filter(|face| !face.contains(&apex)) {
        let start = lowest(face);
        let at = |i: usize| nodes[face[(start + i) % face.len()]];
        for i in 2..face.len() {
            // The face looks away from the apex, so its turned-over triangle looks towards it.
            tets.push([at(0), at(i), at(i - 1), nodes[apex]]);
        }
    }
    tets
}

#[cfg(test)]
mod tests {
    use pliant::math::Vec3;
    use pliant::mesh::{TetMesh, tet_volume};

    use super::*;

    const CUBE: [[f64; 3]; 8] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [0.0, 1.0, 1.0],
    ];

    /// Numbers a cell's corners in the given order, splits it and sums the volumes, all of which must be positive.
    fn volume(shape: Shape, corners: &[[f64; 3]], numbers: &[u32]) -> f64 {
        let mut positions = vec![Vec3::ZERO; corners.len()];
        for (corner, &number) in corners.iter().zip(numbers) {
            positions[number as usize] = Vec3::from_array(*corner);
        }
        let volumes = split(shape, numbers).into_iter().map(|tet| tet_volume(tet.map(|v| positions[v as usize])));
        volumes.inspect(|&volume| assert!(volume > 0.01, "{shape:?} {numbers:?}")).sum()
    }

    #[test]
    fn pieces_are_positive_and_fill_the_cell_however_it_is_numbered() {
        let prism = [CUBE[0], CUBE[1], CUBE[3], CUBE[4], CUBE[5], CUBE[7]];
        let pyramid = [CUBE[0], CUBE[1], CUBE[2], CUBE[3], [0.5, 0.5, 1.0]];
        let voxel = [0, 1, 3, 2, 4, 5, 7, 6].map(|i: usize| CUBE[i]);
        for turn in 0..8_u32 {
            for stride in [1, 3, 5, 7] {
                let hex: Vec<u32> = (0..8).map(|i| (i * stride + turn) % 8).collect();
                assert!((volume(Shape::Hex, &CUBE, &hex) - 1.0).abs() < 1e-12);
                assert!((volume(Shape::Voxel, &voxel, &hex) - 1.0).abs() < 1e-12);
            }
            let six: Vec<u32> = (0..6).map(|i| (i * 5 + turn) % 6).collect();
            assert!((volume(Shape::Prism, &prism, &six) - 0.5).abs() < 1e-12);
            let five: Vec<u32> = (0..5).map(|i| (i * 2 + turn) % 5).collect();
            assert!((volume(Shape::Pyramid, &pyramid, &five) - 1.0 / 3.0).abs() < 1e-12);
        }
    }

    #[test]
    fn neighbouring_hexes_agree_on_their_face() -> Result<(), pliant::mesh::MeshError> {
        // A block of 2×2×2 hexes with scattered numbers: its skin has two triangles for each of 24 quads, none inside.
        let number = |x: u32, y: u32, z: u32| (x + 3 * y + 9 * z) * 10 % 27;
        let mut positions = vec![Vec3::ZERO; 27];
        for (x, y, z) in (0..27).map(|i| (i % 3, i / 3 % 3, i / 9)) {
            positions[number(x, y, z) as usize] = Vec3::new(f64::from(x), f64::from(y), f64::from(z));
        }
        let mut tets = Vec::new();
        for (x, y, z) in (0..8).map(|i| (i % 2, i / 2 % 2, i / 4)) {
            let corner = |c: [f64; 3]| number(x + c[0] as u32, y + c[1] as u32, z + c[2] as u32);
            tets.extend(split(Shape::Hex, &CUBE.map(corner)));
        }
        let mesh = TetMesh::new(positions, tets)?;
        mesh.check_quality()?;
        assert!((mesh.volume() - 8.0).abs() < 1e-12);
        assert_eq!(mesh.surface()?.mesh.triangles.len(), 48);
        Ok(())
    }
}
