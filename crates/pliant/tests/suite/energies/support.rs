//! Specimens, their deformations, and projections in the space of z = A x.

use pliant::energy::{Batch, LIST, Memory, batch_energy};
use pliant::math::{Mat3, Vec3, solve_symmetric};

/// Fixed pseudo-random numbers, so that a failure repeats.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Uniform in [−1, 1).
    pub(crate) fn signed(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    pub(crate) fn vectors(&mut self, count: usize) -> Vec<Vec3> {
        (0..count).map(|_| self.vector()).collect()
    }

    pub(crate) fn rotation(&mut self) -> Mat3 {
        Mat3::from_axis_angle((self.vector() + Vec3::splat(1e-3)).normalize(), 3.0 * self.signed())
    }
}

/// A deformation of a specimen.
pub(crate) struct Sample {
    pub(crate) label: String,
    pub(crate) x: Vec<Vec3>,
}

/// How a sample deforms the rest shape: principal stretches, then noise in units of the specimen's size.
const KINDS: [(&str, [f64; 3], f64); 10] = [
    ("nearly at rest", [1.0, 1.0, 1.0], 0.01),
    ("bent", [1.0, 1.0, 1.0], 0.1),
    ("crumpled", [1.0, 1.0, 1.0], 0.4),
    ("stretched", [2.5, 1.2, 0.9], 0.03),
    ("compressed", [0.4, 0.5, 0.6], 0.03),
    ("inflated", [2.0, 2.0, 2.0], 0.02),
    ("blown up", [4.0, 3.0, 3.5], 0.1),
    ("inverted", [1.1, 0.9, -0.8], 0.05),
    ("inverted and crushed", [0.3, 0.2, -0.1], 0.01),
    ("flat", [1.27, 0.83, 0.0], 0.0),
];

/// Deformations of all kinds, every second one rotated and moved away.
pub(crate) fn samples(rest: &[Vec3], rounds: u64) -> Vec<Sample> {
    let centre = rest.iter().sum::<Vec3>() / rest.len() as f64;
    let size = rest.iter().map(|p| (*p - centre).length()).fold(0.0, f64::max);
    let mut all = Vec::new();
    for round in 0..rounds {
        for (kind, (name, stretches, noise)) in KINDS.iter().enumerate() {
            let random = &mut Random::new(1000 * round + kind as u64 + 1);
            let axes = random.rotation();
            let stretch = axes * Mat3::from_diagonal(Vec3::from_array(*stretches)) * axes.transpose();
            let (turn, shift) =
                if round % 2 == 0 { (Mat3::IDENTITY, Vec3::ZERO) } else { (random.rotation(), size * random.vector()) };
            let place = |p: &Vec3| {
                let deformed = stretch * (*p - centre) + random.vector() * (noise * size);
                turn * deformed + centre + shift
            };
            all.push(Sample { label: format!("{name} {round}"), x: rest.iter().map(place).collect() });
        }
    }
    all
}

/// A specimen with its name.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) batch: Box<dyn Batch>,
    pub(crate) rest: Vec<Vec3>,
}

/// Every specimen of every energy.
pub(crate) fn cases() -> Vec<Case> {
    let numbered = LIST.iter().flat_map(|info| info.specimens.iter().enumerate().map(move |at| (info.key, at)));
    numbered
        .map(|(key, (number, make))| {
            let specimen = make().unwrap_or_else(|error| panic!("{key}, specimen {number}: {error}"));
            assert_eq!(specimen.batch.kind(), key, "the batch and the list name the energy alike");
            Case { name: format!("{key}, specimen {number}"), batch: specimen.batch, rest: specimen.rest }
        })
        .collect()
}

impl Case {
    pub(crate) fn fresh(&self) -> Memory {
        Memory::of(self.batch.as_ref())
    }

    /// Memory after a projection that starts from `start`.
    pub(crate) fn projected(&self, x: &[Vec3], start: &Memory) -> Memory {
        let mut memory = start.clone();
        self.batch.project(x, self.batch.initial_goals(), &mut memory);
        memory
    }

    /// Energy with a new projection that starts from `start` [J].
    pub(crate) fn energy(&self, x: &[Vec3], start: &Memory) -> f64 {
        batch_energy(self.batch.as_ref(), x, &self.projected(x, start))
    }

    /// Gradient of the energy, vertex by vertex [N].
    pub(crate) fn gradient(&self, x: &[Vec3], memory: &Memory) -> Vec<Vec3> {
        let operator = self.batch.operator();
        let mut corners = vec![Vec3::ZERO; operator.corner_vertices().len()];
        operator.gradient(x, &memory.projections, 1.0, &mut corners);
        let mut gradient = vec![Vec3::ZERO; x.len()];
        operator.corner_vertices().iter().zip(corners).for_each(|(&v, force)| gradient[v as usize] += force);
        gradient
    }

    /// z = A x of one element.
    pub(crate) fn z(&self, element: usize, x: &[Vec3]) -> Vec<Vec3> {
        let mut z = vec![Vec3::ZERO; self.batch.operator().rows()];
        self.batch.operator().apply(element, x, &mut z);
        z
    }

    /// Size of the energy if nothing cancelled, Σ w (|A| |x|)² \[J\]: rounding errors are in proportion to it.
    pub(crate) fn scale(&self, x: &[Vec3]) -> f64 {
        let operator = self.batch.operator();
        let of = |e: usize| {
            let (stencil, a) = (operator.stencil(e), operator.coefficients(e));
            let rows = a.chunks(stencil.len());
            let sizes =
                rows.map(|row| row.iter().zip(stencil).map(|(a, &v)| a.abs() * x[v as usize].length()).sum::<f64>());
            operator.weight(e) * sizes.map(|size| size * size).sum::<f64>()
        };
        (0..operator.len()).map(of).sum()
    }

    /// The projection of one element.
    pub(crate) fn p<'a>(&self, element: usize, memory: &'a Memory) -> &'a [Vec3] {
        let rows = self.batch.operator().rows();
        &memory.projections[element * rows..][..rows]
    }

    /// Positions with A x = z for one element: the least x = Aᵀ(A Aᵀ)⁻¹ z. Every z that A can produce has one.
    fn positions_for(&self, element: usize, z: &[Vec3]) -> Vec<Vec3> {
        let operator = self.batch.operator();
        let (stencil, a, rows) = (operator.stencil(element), operator.coefficients(element), operator.rows());
        let n = stencil.len();
        let mut gram = vec![0.0; rows * rows];
        for i in 0..rows {
            for j in 0..rows {
                gram[i * rows + j] = (0..n).map(|c| a[i * n + c] * a[j * n + c]).sum();
            }
        }
        let mut x = vec![Vec3::ZERO; self.rest.len()];
        for axis in 0..3 {
            let mut multipliers: Vec<f64> = z.iter().map(|row| row[axis]).collect();
            solve_symmetric(&mut gram.clone(), &mut multipliers, 1e-12);
            for (c, &vertex) in stencil.iter().enumerate() {
                x[vertex as usize][axis] = (0..rows).map(|r| a[r * n + c] * multipliers[r]).sum();
            }
        }
        x
    }

    /// The point that A can produce next to z, and its projection, of one element.
    pub(crate) fn project_z(&self, element: usize, z: &[Vec3], start: &Memory) -> (Vec<Vec3>, Vec<Vec3>) {
        let x = self.positions_for(element, z);
        let memory = self.projected(&x, start);
        (self.z(element, &x), self.p(element, &memory).to_vec())
    }
}

pub(crate) fn length(a: &[Vec3]) -> f64 {
    dot(a, a).sqrt()
}

pub(crate) fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// a + s b.
pub(crate) fn along(a: &[Vec3], s: f64, b: &[Vec3]) -> Vec<Vec3> {
    a.iter().zip(b).map(|(a, b)| *a + *b * s).collect()
}

pub(crate) fn minus(a: &[Vec3], b: &[Vec3]) -> Vec<Vec3> {
    along(a, -1.0, b)
}

pub(crate) fn assert_close(value: f64, expected: f64, relative: f64, what: &str) {
    let error = (value - expected).abs();
    assert!(error <= relative * expected.abs(), "{what}: {value}, expected {expected} within {relative:e}");
}
