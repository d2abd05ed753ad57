//! Slopes across the edges of a flat mesh, from the vertices around them: what [`super::plate`] measures curvatures with.
//!
//! ```text
//!     f───c───e
//!      ╲ ╱ ╲ ╱         y: across the edge, towards c
//!       a───b          the slope of w at its middle: ∂w/∂y = Σ kᵢ wᵢ over these eight, fewer at a rim
//!      ╱ ╲ ╱ ╲
//!     g───d───h
//! ```
//!
//! The planes through the corners of the two triangles have the slopes s_c and s_d. If w is curved across the edge only, the slope at the edge is
//! (h_d s_c + h_c s_d)/(h_c + h_d) with the heights of c and d; where the hinge is a parallelogram, this holds for any quadratic w.
//! Otherwise a quadratic w may also turn along the edge, which the four corners of the hinge do not see. The smallest change of
//! coefficients, by least squares, then makes the slope exact for all quadratic functions: over the hinge and one more vertex on either side
//! where that change is nearly as small, else over all eight.
//!
//! Where the vertices lie on a conic, or nearly so, or are too few at a rim, some quadratic function cannot be told from a plane.
//! Its share of the change then goes to 0, so that coefficients stay bounded. The slope is always exact for planes.

use glam::{DMat2, DVec2};

use crate::math::{Vec3, symmetric_eigen};
use crate::mesh::TriangleMesh;

/// Quadratic functions that the vertices around an edge see by less than this, with coordinates scaled to unit variance, are not
/// corrected for in full. Regular meshes have 0.6 and more, random ones rarely less than 0.3.
const LEAST_SEEN: f64 = 0.2;

/// How much larger a change over fewer vertices may be than over all.
const MORE_CHANGE: f64 = 2.5;

/// Slope across one edge: vertices with their coefficients \[1/m\]. A vertex may be there twice.
pub(super) type Slope = ([(u32, f64); 8], usize);

/// A triangle laid flat, as seen from one of its sides.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Side {
    /// Length of the side \[m\].
    pub(super) length: f64,
    /// Foot of the height, as a share of the way along the side.
    pub(super) foot: f64,
    /// Height of the third corner over the side \[m\].
    pub(super) height: f64,
}

impl Side {
    /// From side `k`, between corners k and k + 1.
    pub(super) fn of(corners: [Vec3; 3], k: usize) -> Self {
        let [a, b, c] = [0, 1, 2].map(|i| corners[(k + i) % 3]);
        let length = (b - a).length();
        let along = (b - a) / length;
        Self { length, foot: along.dot(c - a) / length, height: along.cross(c - a).length() }
    }

    /// The third corner of the triangle to the left of a side from `a` to `b`, which may be of a little different length.
    fn third(&self, a: DVec2, b: DVec2) -> DVec2 {
        a + (b - a) * self.foot + (b - a).perp().normalize() * self.height
    }
}

/// Triangles at the sides of triangles.
pub(super) struct Neighbours {
    /// For each triangle and side the triangle beyond it and its side; none at a rim.
    beyond: Vec<[Option<(u32, u32)>; 3]>,
}

impl Neighbours {
    /// Of a manifold mesh.
    pub(super) fn of(mesh: &TriangleMesh) -> Self {
        let mut sides: Vec<([u32; 2], u32, u32)> = Vec::with_capacity(3 * mesh.triangles.len());
        for (t, triangle) in (0u32..).zip(&mesh.triangles) {
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                sides.push(([a.min(b), a.max(b)], t, k as u32));
            }
        }
        sides.sort_unstable();
        let mut beyond = vec![[None; 3]; mesh.triangles.len()];
        for pair in sides.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, t, k), (_, u, j)] = *pair {
                beyond[t as usize][k as usize] = Some((u, j));
                beyond[u as usize][j as usize] = Some((t, k));
            }
        }
        Self { beyond }
    }

    /// The triangle beyond a side, and its side.
    pub(super) fn beyond(&self, triangle: usize, side: usize) -> Option<(usize, usize)> {
        self.beyond[triangle][side].map(|(t, k)| (t as usize, k as usize))
    }
}

/// Slope of a triangle's own plane towards its third corner: coefficients of the side's ends and of that corner \[1/m\].
pub(super) fn own_slope(side: &Side) -> [f64; 3] {
    [(side.foot - 1.0) / side.height, -side.foot / side.height, 1.0 / side.height]
}

/// The slope across the side of a triangle towards its third corner, where there is a triangle beyond.
pub(super) fn slope(
    mesh: &TriangleMesh,
    neighbours: &Neighbours,
    sides: &[[Side; 3]],
    triangle: usize,
    side: usize,
) -> Option<Slope> {
    let (other, other_side) = neighbours.beyond(triangle, side)?;
    let corner = |t: usize, k: usize| mesh.triangles[t][k % 3];
    let (here, there) = (sides[triangle][side], sides[other][other_side]);
    // Seams may join sides of different lengths: each is measured on its own, the edge is their mean.
    let half = 0.25 * (here.length + there.length);
    let (a, b) = (DVec2::new(-half, 0.0), DVec2::new(half, 0.0));
    let (c, d) = (here.third(a, b), there.third(b, a));
    let mut points = [a, b, c, d, c, c, c, c];
    let mut slope = [(corner(triangle, side), 0.0); 8];
    for (place, vertex) in
        [corner(triangle, side + 1), corner(triangle, side + 2), corner(other, other_side + 2)].into_iter().enumerate()
    {
        slope[place + 1].0 = vertex;
    }
    // Those beyond the other sides of both triangles, each laid flat beside its neighbour.
    let mut outer = [None; 4];
    let rims = [
        (triangle, side + 1, b, c),
        (triangle, side + 2, c, a),
        (other, other_side + 1, a, d),
        (other, other_side + 2, d, b),
    ];
    let mut count = 4;
    for (place, (t, k, start, end)) in outer.iter_mut().zip(rims) {
        if let Some((far, far_side)) = neighbours.beyond(t, k % 3) {
            points[count] = sides[far][far_side].third(end, start);
            slope[count].0 = corner(far, far_side + 2);
            *place = Some(count);
            count += 1;
        }
    }
    let share = there.height / (here.height + there.height);
    let (near, far) = (own_slope(&here), own_slope(&there));
    // Seen from the other triangle the side runs backwards, and its slope is the other way.
    slope[0].1 = share * near[0] - (1.0 - share) * far[1];
    slope[1].1 = share * near[1] - (1.0 - share) * far[0];
    slope[2].1 = share * near[2];
    slope[3].1 = -(1.0 - share) * far[2];
    let plain = [0, 1, 2, 3].map(|i| slope[i].1);
    let quadratics = Quadratics::around(&points, plain);
    if quadratics.are_flat() {
        return Some((slope, 4));
    }
    let all = quadratics.correction(&[0, 1, 2, 3, 4, 5, 6, 7][..count]);
    // One vertex more on either side is enough where they lie well: a sparser matrix, as exact.
    let pairs = outer[..2].iter().flat_map(|p| outer[2..].iter().map(move |q| (*p, *q)));
    let enough = pairs
        .filter_map(|(p, q)| Some(quadratics.correction(&[0, 1, 2, 3, p?, q?])))
        .filter(|pair| pair.least_seen > LEAST_SEEN && pair.size < MORE_CHANGE * all.size)
        .min_by(|p, q| p.size.total_cmp(&q.size));
    let change = enough.unwrap_or(all);
    slope.iter_mut().zip(change.coefficients).for_each(|((_, k), more)| *k += more);
    // Vertices that do not count go.
    let mut kept = 4;
    for i in 4..count {
        if change.coefficients[i] != 0.0 {
            slope.swap(kept, i);
            kept += 1;
        }
    }
    Some((slope, kept))
}

/// Quadratic functions around the middle of an edge, at the vertices around it.
struct Quadratics {
    /// Coordinates of the vertices, in which the four corners of the hinge have unit variance: slivers then count as other triangles do.
    places: [DVec2; 8],
    /// Slopes that u²/2, u v and v²/2 are given by the corners of the hinge alone, where they have none; over the size of their coefficients.
    wrong: [f64; 3],
    scale: f64,
}

/// A change of the coefficients of vertices.
struct Correction {
    coefficients: [f64; 8],
    /// Length of the change, relative to what is changed.
    size: f64,
    /// How well the vertices see the quadratic function that they see least.
    least_seen: f64,
}

impl Quadratics {
    fn around(points: &[DVec2; 8], slope: [f64; 4]) -> Self {
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for p in &points[..4] {
            (xx, xy, yy) = (xx + 0.25 * p.x * p.x, xy + 0.25 * p.x * p.y, yy + 0.25 * p.y * p.y);
        }
        let first = xx.sqrt();
        let skew = xy / first;
        let second = (yy - skew * skew).max(f64::MIN_POSITIVE).sqrt();
        let scaled = DMat2::from_cols(DVec2::new(first, skew), DVec2::new(0.0, second)).inverse();
        let places = points.map(|p| scaled * p);
        let scale = slope.iter().map(|k| k * k).sum::<f64>().sqrt();
        let mut wrong = [0.0; 3];
        for (q, k) in places.iter().zip(slope) {
            wrong.iter_mut().zip(quadratic(*q)).for_each(|(wrong, value)| *wrong += k / scale * value);
        }
        Self { places, wrong, scale }
    }

    /// Whether the hinge alone has no slope of them.
    fn are_flat(&self) -> bool {
        self.wrong.iter().all(|wrong| wrong.abs() < 1e-9)
    }

    /// The smallest change over some of the vertices that takes their slopes away and keeps those of planes.
    fn correction(&self, over: &[usize]) -> Correction {
        // Rows: 1, u, v, then the quadratic functions, these orthogonal to the first three.
        let mut rows = [[0.0; 8]; 6];
        for &i in over {
            let q = self.places[i];
            let [uu, uv, vv] = quadratic(q);
            rows.iter_mut().zip([1.0, q.x, q.y, uu, uv, vv]).for_each(|(row, value)| row[i] = value);
        }
        let dot = |a: &[f64; 8], b: &[f64; 8]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for j in 0..6 {
            for plane in 0..j.min(3) {
                let base = rows[plane];
                let along = dot(&base, &rows[j]);
                rows[j].iter_mut().zip(base).for_each(|(value, base)| *value -= along * base);
            }
            if j < 3 {
                let length = dot(&rows[j], &rows[j]).sqrt();
                rows[j].iter_mut().for_each(|value| *value /= length);
            }
        }
        let (mut gram, mut axes) = ([0.0; 9], [0.0; 9]);
        for i in 0..3 {
            (0..3).for_each(|j| gram[3 * i + j] = dot(&rows[3 + i], &rows[3 + j]));
        }
        symmetric_eigen(&mut gram, &mut axes, 3);
        let least = LEAST_SEEN * LEAST_SEEN;
        let (mut change, mut least_seen) = ([0.0; 3], f64::INFINITY);
        for k in 0..3 {
            let seen = gram[4 * k].max(0.0);
            least_seen = seen.sqrt().min(least_seen);
            let axis = [0, 1, 2].map(|i| axes[3 * i + k]);
            let lack: f64 = -axis.iter().zip(self.wrong).map(|(a, wrong)| a * wrong).sum::<f64>();
            // 1/λ, and from the bound on falling to 0.
            let factor = if seen > least { seen.recip() } else { seen / (least * least) };
            (0..3).for_each(|i| change[i] += axis[i] * lack * factor);
        }
        let mut coefficients = [0.0; 8];
        for &i in over {
            coefficients[i] = (0..3).map(|j| change[j] * rows[3 + j][i]).sum::<f64>();
        }
        let size = dot(&coefficients, &coefficients).sqrt();
        coefficients.iter_mut().for_each(|k| *k *= self.scale);
        Correction { coefficients, size, least_seen }
    }
}

fn quadratic(q: DVec2) -> [f64; 3] {
    [0.5 * q.x * q.x, q.x * q.y, 0.5 * q.y * q.y]
}
