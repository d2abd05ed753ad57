//! How solvers see energies: batches of elements of one kind.

use std::fmt;
use std::ops::Range;

use super::Operator;
use crate::math::{Mat3, Vec3};

/// What an energy remembers between local steps.
///
/// Projections are always recomputed from positions; warm values (last directions, example weights, SQP points) make the
/// next projection continue from the last one, and are part of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    /// The projected counterpart p of A x: `rows` vectors for each element.
    pub projections: Vec<Vec3>,
    /// Numbers that the energy's projection starts from.
    pub warm: Vec<f64>,
}

/// How Newton treats negative curvature of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Curvature {
    /// Negative eigenvalues are set to zero, so that the sum is positive definite (robust).
    #[default]
    Projected,
    /// The true second derivative, indefinite under compression (for comparison with semi-implicit methods).
    Raw,
}

/// Which properties an energy has; the shared tests check those that are declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    /// A common translation changes nothing.
    pub translation_invariant: bool,
    /// A common rotation changes nothing.
    pub rotation_invariant: bool,
    /// The rest shape has zero energy.
    pub zero_at_rest: bool,
    /// Projecting a projection changes nothing.
    pub idempotent: bool,
    /// The projection is the nearest point of the constraint set.
    pub nearest: bool,
    /// Hessians with [`Curvature::Raw`] are complete; false if they treat something that all elements share as constant.
    pub exact_hessian: bool,
}

impl Properties {
    /// All of them: the internal energies of a body.
    pub const INTERNAL: Self = Self {
        translation_invariant: true,
        rotation_invariant: true,
        zero_at_rest: true,
        idempotent: true,
        nearest: true,
        exact_hessian: true,
    };
}

/// What the elements of a built-in energy are made of, for solvers with their own local step (SIMD, GPU).
#[derive(Debug, Clone, PartialEq)]
pub enum Arrays {
    /// No data; call [`Batch::project`].
    Opaque,
    /// Springs: A x is the edge, the projection clamps its length between these two \[m\].
    EdgeSpring(Vec<[f64; 2]>),
    /// Triangles: A x is the deformation gradient, the projection clamps both singular values between these two.
    TriangleStrain([f64; 2]),
    /// Tets: A x is the deformation gradient, the projection clamps its signed singular values between these two. Warm values
    /// are the quaternion (x, y, z, w) of its nearest rotation.
    TetStrain([f64; 2]),
    /// Triangles: A x is the deformation gradient, the projection brings its area ratio between these two.
    TriangleArea([f64; 2]),
    /// Tets: A x is the deformation gradient, the projection brings its determinant between these two. Warm values are
    /// the same as those of [`TetStrain`](Self::TetStrain).
    TetVolume([f64; 2]),
    /// Triangles: A x is the deformation gradient in the directions of two fibres, the projection clamps the length of each column.
    TriangleFibres([[f64; 2]; 2]),
    /// The same for tets, with three directions.
    TetFibres([[f64; 2]; 3]),
    /// Springs measured in coordinates of both ends: the smallest and largest length without energy \[m\], and the
    /// factor by which the weight exceeds the stiffness. Energy and forces are those of
    /// [`EdgeSpring`](Self::EdgeSpring) with that stiffness.
    SpringPair(Vec<([f64; 2], f64)>),
    /// Hinges: A x are the corners in the coordinates of a metric, the projection gives them the rest angle \[rad\]. With it the
    /// factors between rows of A x and positions, infinite for a corner that does not move. Warm values are the quaternion of the last frame.
    Hinge(Vec<(f64, [f64; 4])>),
    /// Tets: A x is the deformation gradient, the projection is R (I + Σ ωᵢ Eᵢ), with R and ω for each tet.
    Examples {
        /// Number of examples of each tet. Warm values are their weights ω.
        count: usize,
        /// The symmetric Eᵢ, tet by tet.
        stretches: Vec<Mat3>,
        /// ε of each tet, which adds ε‖ω‖² to the squared distance.
        epsilon: Vec<f64>,
    },
    /// The same with one set of weights for all tets, which are the warm values.
    GlobalExamples {
        /// The symmetric Eᵢ, tet by tet.
        stretches: Vec<Mat3>,
        /// ε, which adds ½ ε‖ω‖² to the energy.
        epsilon: f64,
    },
    /// A x is the position of a vertex, its projection is on one side of a plane; goals are a point of the plane and
    /// its normal.
    HalfSpace,
    /// The projection is A x at the start of the stage (the warm values), freely rotated.
    Viscous,
    /// A x is the position of a vertex, its projection the goal.
    Goals,
    /// Rings: A x is the mean-curvature vector of a vertex (the first of its stencil), the projection gives it this length \[1/m\].
    MeanCurvature(Vec<f64>),
    /// Any element with a projection that is always 0 and rows of A that add up to zero: the energy is the constant
    /// quadratic form w/2 ‖A x‖², and there is no local step.
    Quadratic,
    /// One rigid set: A x is the position of each vertex relative to a hub (the first of its stencil), the projection
    /// one rotation of these positions \[m\]. Warm values are its quaternion (x, y, z, w).
    Rigid(Vec<Vec3>),
}

impl Arrays {
    /// Whether this is the strain, and the other the area or volume, of elements of one kind.
    pub(crate) fn is_strain_with(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::TriangleStrain(_), Self::TriangleArea(_)) | (Self::TetStrain(_), Self::TetVolume(_))
        )
    }
}

/// The elements of a batch in a model that replaces another. An element keeps its A and its rest data; a copy of it
/// has a share of its weight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rewiring {
    /// For each element the one that it comes from, and the factor on its weight.
    pub elements: Vec<(u32, f64)>,
    /// Vertices of all elements, one after the other.
    pub vertices: Vec<u32>,
}

impl Rewiring {
    /// Whether every element appears once, with its old weight, in the old order.
    pub fn only_renumbers(&self, count: usize) -> bool {
        self.elements.len() == count && (0u32..).zip(&self.elements).all(|(k, element)| *element == (k, 1.0))
    }
}

/// All elements of one energy of one body: the linear operator A with weights, and the projection onto the constraint set.
///
/// These two determine the projective right-hand side, the energy, its gradient w Aᵀ(A x − p) and, with
/// [`hessians`](Batch::hessians), Newton's matrix. Most energies implement [`Element`](super::Element) instead and
/// become a batch through [`ElementBatch`](super::ElementBatch); implement this trait if elements are coupled.
pub trait Batch: Send + Sync + fmt::Debug {
    /// Name of the energy, the key in reports and in the list of energies.
    fn kind(&self) -> &'static str;

    /// Stencils, A and weights.
    fn operator(&self) -> &Operator;

    /// Mutable stencils, A and weights, for renumbering vertices.
    fn operator_mut(&mut self) -> &mut Operator;

    /// Which properties it has.
    fn properties(&self) -> Properties;

    /// What the elements are made of.
    fn arrays(&self) -> Arrays {
        Arrays::Opaque
    }

    /// The batch with some of its elements at other vertices, for a model that replaces this one. None if that is not
    /// possible, for example if elements depend on each other: a body with such an energy cannot be torn or cut.
    fn rewired(&self, _rewiring: &Rewiring) -> Option<Box<dyn Batch>> {
        None
    }

    /// Warm values before the first projection.
    fn initial_warm(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Initial values of what the user may move from step to step (goal positions, planes).
    fn initial_goals(&self) -> &[Vec3] {
        &[]
    }

    /// Called before each stage of a step with the positions that it starts from.
    fn begin_stage(&self, _x: &[Vec3], _memory: &mut Memory) {}

    /// Local step: sets `memory.projections` to the projection of A x.
    fn project(&self, x: &[Vec3], goals: &[Vec3], memory: &mut Memory);

    /// Projects some elements on their own: `z` holds A x of each and on return its projection, `warm` their warm
    /// values, one after the other. Returns false if elements depend on each other, so that only
    /// [`project`](Self::project) can do it.
    fn project_some(&self, _elements: &[u32], _z: &mut [Vec3], _goals: &[Vec3], _warm: &mut [f64]) -> bool {
        false
    }

    /// Terms of the energy beyond Σ w/2 ‖A x − p‖², such as a regularisation of the projection's own unknowns \[J\].
    fn extra_energy(&self, _memory: &Memory) -> f64 {
        0.0
    }

    /// Second derivative of ½‖z − p(z)‖² with respect to z = A x, for a range of elements with up-to-date projections:
    /// a symmetric matrix of 3·rows for each element, row by row, z's vectors one after the other.
    fn hessians(
        &self,
        elements: Range<usize>,
        x: &[Vec3],
        goals: &[Vec3],
        memory: &Memory,
        curvature: Curvature,
        out: &mut [f64],
    );
}
