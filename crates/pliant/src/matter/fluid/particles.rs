//! What a fluid's particles are: volumes, masses, and points of other bodies' surfaces that take part.

use super::kernels::{self, Lattice, reach_of_walls};
use super::neighbours::Neighbours;
use super::{FluidMaterial, Ingredients, KERNEL, Share};
use crate::math::Vec3;
use crate::mesh::Bounds;
use crate::mesh::bvh::{Bvh, nearest_on_triangle};
use crate::parallel::{self, Strided};

/// A point of a body's surface or below it, carried along by its corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    pub(crate) corners: [u32; 3],
    pub(crate) weights: [f64; 3],
    /// How far below the surface \[m\].
    pub(crate) depth: f64,
}

impl Sample {
    pub(crate) fn position(&self, x: &[Vec3]) -> Vec3 {
        let [a, b, c] = self.corners.map(|v| x[v as usize]);
        let on_surface = a * self.weights[0] + b * self.weights[1] + c * self.weights[2];
        if self.depth == 0.0 {
            return on_surface;
        }
        on_surface - (b - a).cross(c - a).normalize_or_zero() * self.depth
    }
}

/// All fluid particles of a world, then the samples of surfaces near which they may come. Lengths are in units of the kernel's radius, masses in
/// units of the heaviest particle, so that f32 holds them at any scale.
#[derive(Debug)]
pub(crate) struct Particles {
    /// Radius of the kernel \[m\].
    pub(crate) radius: f64,
    /// The unit of masses \[kg\].
    pub(crate) mass: f64,
    /// Vertices of the world that are particles.
    pub(crate) vertices: Vec<u32>,
    /// The same, fluid by fluid.
    ranges: Vec<std::ops::Range<usize>>,
    pub(crate) samples: Vec<Sample>,
    /// Volume of each particle and sample; over the density of the lattice, so that particles on a lattice are at rest density.
    pub(crate) volumes: Vec<f32>,
    /// Inverse mass of each particle and sample; 0 for what does not give way.
    pub(crate) softness: Vec<f32>,
    /// Inverse mass of every vertex of the world, in the same unit.
    pub(crate) vertex_softness: Vec<f64>,
    /// Coefficient of the artificial pressure of each particle; 0 for samples.
    pub(crate) separation: Vec<f32>,
    /// Kinematic viscosity of each particle \[m²/s\].
    pub(crate) viscosity: Vec<f64>,
    /// Vorticity confinement of each particle \[m/s\].
    pub(crate) confinement: Vec<f64>,
    /// How far walls act, over the radius.
    pub(crate) reach_of_walls: f32,
    lattice: Lattice,
}

/// Samples along an edge of a surface at most: a longer one is refused when the world is built, or fluid would pass between samples.
pub(crate) const MOST_SAMPLES: f64 = 256.0;

impl Particles {
    pub(crate) fn new(from: &Ingredients<'_>) -> Self {
        let materials = || from.fluids.iter().map(|share| share.fluid.material());
        // That of all.
        let spacing = materials().map(|material| material.spacing).fold(0.0, f64::max);
        let mass = materials().map(FluidMaterial::particle_mass).fold(0.0, f64::max);
        let lattice = Lattice::new(1.0 / KERNEL);
        let mut particles = Self {
            radius: KERNEL * spacing,
            mass,
            vertices: Vec::new(),
            ranges: from.fluids.iter().map(|share| share.vertices.clone()).collect(),
            samples: Vec::new(),
            volumes: Vec::new(),
            softness: Vec::new(),
            vertex_softness: from.inverse_masses.iter().map(|inverse| inverse * mass).collect(),
            separation: Vec::new(),
            viscosity: Vec::new(),
            confinement: Vec::new(),
            reach_of_walls: reach_of_walls(1.0 / KERNEL) as f32,
            lattice,
        };
        let volume = (KERNEL.powi(-3) / lattice.density) as f32;
        for Share { vertices, fluid } in &from.fluids {
            let material = fluid.material();
            for v in vertices.clone() {
                particles.vertices.push(v as u32);
                particles.volumes.push(volume);
                particles.softness.push(particles.vertex_softness[v] as f32);
                particles.separation.push(material.separation as f32);
                particles.viscosity.push(material.viscosity);
                particles.confinement.push(material.vorticity);
            }
        }
        for triangles in &from.surfaces {
            particles.add_surface(triangles, from.rest, spacing);
        }
        particles
    }

    /// Samples a surface, no farther apart than particles.
    fn add_surface(&mut self, triangles: &[[u32; 3]], rest: &[Vec3], spacing: f64) {
        let first = self.samples.len();
        let layers = layers_of_samples(triangles, rest, spacing);
        let inside = Inside::new(triangles, rest);
        for &corners in triangles {
            let [a, b, c] = corners.map(|v| rest[v as usize]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let parts = (longest / spacing).ceil().clamp(1.0, MOST_SAMPLES) as usize;
            let all = || layers.iter().flat_map(|&depth| samples_of(corners, depth, parts));
            let before = self.samples.len();
            self.samples.extend(all().filter(|sample| layers.len() == 1 || inside.holds(sample)));
            // Each triangle has some: by them particles know which triangles are near.
            if self.samples.len() == before {
                self.samples.extend(samples_of(corners, layers[0], parts));
            }
        }
        // As much volume as makes samples alone as dense as fluid at rest [Akinci 2012, eq. 4], or as two layers of it are.
        let dense = if layers.len() > 1 { self.lattice.of_two_layers(1.0 / KERNEL) as f32 } else { 1.0 };
        let own = &self.samples[first..];
        let (mut near, mut places) = (Neighbours::default(), Vec::new());
        near.find(self.radius, [own.len(); 2], &|k| own[k].position(rest), &|_| 1.0, &mut places);
        let mut volumes = vec![0.0_f32; own.len()];
        for (k, &sample) in near.order.iter().enumerate() {
            let squared = |j: usize| (0..3).map(|c| (places[k][c] - places[j][c]).powi(2)).sum::<f32>();
            let around: f32 = near.of(k).iter().map(|&j| kernels::density(squared(j as usize))).sum();
            volumes[sample as usize] = dense / (kernels::PEAK + around);
        }
        for (sample, volume) in own.iter().zip(volumes) {
            let soft = sample.corners.iter().zip(sample.weights);
            self.softness.push(soft.map(|(&v, w)| w * w * self.vertex_softness[v as usize]).sum::<f64>() as f32);
            self.volumes.push(volume);
            self.separation.push(0.0);
        }
    }

    /// Particles and samples.
    pub(crate) fn len(&self) -> usize {
        self.vertices.len() + self.samples.len()
    }

    /// Changes an entry of each vertex that is a particle, given the particle's number, in an array of all vertices.
    pub(crate) fn for_each_vertex<T: Send>(&self, of_vertices: &mut [T], change: &(impl Fn(usize, &mut T) + Sync)) {
        let mut first = 0;
        for vertices in &self.ranges {
            let outputs = Strided { entries: &mut of_vertices[vertices.clone()], stride: 1 };
            parallel::for_each(first..first + vertices.len(), outputs, &|range, part| {
                range.zip(part.entries).for_each(|(particle, entry)| change(particle, entry));
            });
            first += vertices.len();
        }
    }

    /// Distance of particles at rest \[m\].
    pub(crate) fn spacing(&self) -> f64 {
        self.radius / KERNEL
    }

    /// Where a particle or sample is \[m\].
    pub(crate) fn position(&self, x: &[Vec3], k: usize) -> Vec3 {
        match self.vertices.get(k) {
            Some(&v) => x[v as usize],
            None => self.samples[k - self.vertices.len()].position(x),
        }
    }

    /// Pressure \[Pa\] of −λ/V = 1 in a stage of length h \[s\].
    ///
    /// It is the mean of ⅓ f·r over pairs and over the space that particles take up, which is more than the volume V that they count with:
    /// by the density of the lattice.
    pub(crate) fn pressure_unit(&self, h: f64) -> f64 {
        self.seen_gradient() * self.mass / (self.lattice.density * self.radius * h * h)
    }

    /// Moves the corners of a sample, given the step of a point that has the sample's inverse mass.
    pub(crate) fn push_sample(&self, k: usize, step: Vec3, x: &mut [Vec3]) {
        let Sample { corners, weights, .. } = self.samples[k];
        let own = f64::from(self.softness[self.vertices.len() + k]);
        if own > 0.0 {
            for (&v, weight) in corners.iter().zip(weights) {
                x[v as usize] += step * (weight * self.vertex_softness[v as usize] / own);
            }
        }
    }

    /// Σ V |W'/r| of a particle on the lattice.
    pub(crate) fn neighbour_weight(&self) -> f64 {
        self.lattice.slopes / self.lattice.density
    }

    /// How much of a gradient sums over neighbours see, on the lattice.
    pub(crate) fn seen_gradient(&self) -> f64 {
        self.lattice.seen_gradient / self.lattice.density
    }

    /// Σ V W r² of a particle on the lattice.
    pub(crate) fn second_moment(&self) -> f64 {
        self.lattice.second_moment / self.lattice.density
    }

    /// Σ ‖∇C‖² of a particle on the lattice.
    pub(crate) fn stiffness_at_rest(&self) -> f32 {
        (self.lattice.squared_gradients / self.lattice.density.powi(2)) as f32
    }
}

/// Depths of samples below a closed surface, over the spacing: two layers of particles nearly as they would be if the body were fluid at rest, half a
/// spacing and one and a half deep. Fluid beside the surface sees no deeper. With 0.15 more, balls and rafts float best.
const LAYERS: [f64; 2] = [0.65, 1.65];
/// Depth of samples in a body that is too thin for two layers, over the spacing. One layer of samples that is as dense as fluid stands for a slab
/// about 1.5 spacings thick; on the surface it would keep fluid off by more than a wall does.
const DEPTH: f64 = 1.2;

/// How far below a surface its samples are \[m\], but not past the middle of what is thin; 0 on what is open, which has two sides.
fn layers_of_samples(triangles: &[[u32; 3]], rest: &[Vec3], spacing: f64) -> Vec<f64> {
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    let has_opposite = |&[a, b]: &[u32; 2]| edges.binary_search(&[b, a]).is_ok();
    if !edges.iter().all(has_opposite) {
        return vec![0.0];
    }
    let corners = |t: &[u32; 3]| t.map(|v| rest[v as usize]);
    let area: f64 = triangles.iter().map(corners).map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
    let volume: f64 = triangles.iter().map(corners).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum();
    // A ball's radius; half the thickness of a slab or more.
    let inner_radius = 3.0 * volume / area.max(f64::MIN_POSITIVE);
    let most = (0.5 * inner_radius).max(0.0);
    if most < spacing {
        return vec![most.min(DEPTH * spacing)];
    }
    LAYERS.iter().map(|depth| most.min(depth * spacing)).collect()
}

/// Share of its depth that a sample of two layers is at least away from all of the surface. Beside an edge the layers below one side come close to the other
/// side, where they would make the body thicker: a raft floated 0.4 spacings too high.
const LEAST_DEPTH: f64 = 0.8;

/// What tells how far from a surface a point is.
struct Inside<'a> {
    triangles: &'a [[u32; 3]],
    rest: &'a [Vec3],
    tree: Option<Bvh>,
}

impl<'a> Inside<'a> {
    fn new(triangles: &'a [[u32; 3]], rest: &'a [Vec3]) -> Self {
        let around = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| rest[v as usize]);
            Bounds { min: a.min(b).min(c), max: a.max(b).max(c) }
        };
        let boxes: Vec<Bounds> = triangles.iter().map(around).collect();
        Self { triangles, rest, tree: (!boxes.is_empty()).then(|| Bvh::new(&boxes)) }
    }

    /// Whether no other part of the surface is much nearer to a sample than its own.
    fn holds(&self, sample: &Sample) -> bool {
        let Some(tree) = &self.tree else { return true };
        let p = sample.position(self.rest);
        let squared = |item: u32| {
            let corners = self.triangles[item as usize].map(|v| self.rest[v as usize]);
            nearest_on_triangle(p, corners).distance_squared(p)
        };
        let least = LEAST_DEPTH * sample.depth;
        tree.nearest(p, squared).distance_squared >= least * least
    }
}

/// Centres of the n² triangles that a triangle is divided into.
fn samples_of(corners: [u32; 3], depth: f64, n: usize) -> impl Iterator<Item = Sample> {
    let third = 1.0 / 3.0;
    let at = move |i: f64, j: f64| {
        let (u, v) = (i / n as f64, j / n as f64);
        Sample { corners, weights: [1.0 - u - v, u, v], depth }
    };
    (0..n).flat_map(move |i| {
        (0..n - i).flat_map(move |j| {
            let (x, y) = (i as f64, j as f64);
            let upright = at(x + third, y + third);
            let inverted = (i + j + 1 < n).then(|| at(x + 2.0 * third, y + 2.0 * third));
            std::iter::once(upright).chain(inverted)
        })
    })
}
