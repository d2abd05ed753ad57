//! Time integrators. Each is one or two implicit stages of the same form,
//!
//! x = X + τ v,  v = V + τ M⁻¹(f_ext − ∇E(x))  ⇔  min ½(x − s)ᵀM(x − s)/τ² + E(x),  s = X + τ V + τ² M⁻¹ f_ext,
//!
//! so that every solver works with every integrator. At ωh = 1, one step multiplies the amplitude of an oscillation by:
//! implicit Euler 0.707, BDF2 0.933, TR-BDF2 0.997, implicit midpoint and energy-keeping 1.

use crate::math::Vec3;
use crate::scratch::Scratch;

/// The time integrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TimeIntegrator {
    /// First order, the most damped and the most robust (default, except for worlds that contain only solids, see
    /// [`SolverChoice::Auto`](crate::solve::SolverChoice::Auto)).
    #[default]
    ImplicitEuler,
    /// Second order with the last two states; the first step, and the first after a change of the time step, is
    /// implicit Euler. After an impact, the history of the struck vertices is replaced by the motion with which they
    /// leave.
    Bdf2,
    /// Second order in two stages with one matrix; hardly damps slow motion, damps fast motion strongly.
    TrBdf2,
    /// Second order, conserves the energy of small oscillations; oscillates in stiff scenes.
    ImplicitMidpoint,
    /// BDF2, after which velocities are projected onto those with the energy and the momenta of the body [Dinev 2018]: bodies ring on for as long as
    /// nothing touches them. Needs a solver that lowers energies, and no strain limiting.
    EnergyKeeping,
}

impl std::fmt::Display for TimeIntegrator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ImplicitEuler => "implicit Euler",
            Self::Bdf2 => "BDF2",
            Self::TrBdf2 => "TR-BDF2",
            Self::ImplicitMidpoint => "implicit midpoint",
            Self::EnergyKeeping => "energy-keeping",
        })
    }
}

/// One implicit stage.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// τ \[s\].
    pub(crate) tau: f64,
    /// X \[m\], where it is not `origin`.
    base: Option<Vec<Vec3>>,
    /// V \[m/s\].
    pub(crate) velocity: Vec<Vec3>,
    /// Positions from which deformation rates are measured, and the time \[s\] to divide the change by.
    pub(crate) origin: Vec<Vec3>,
    /// See `origin`.
    pub(crate) elapsed: f64,
    /// Moment of the stage as a fraction of the step, for what the user moves.
    pub(crate) moment: f64,
}

/// State at the beginning of a step, as integrators see it.
#[derive(Clone, Copy)]
pub(crate) struct Beginning<'a> {
    pub(crate) h: f64,
    pub(crate) x: &'a [Vec3],
    /// Velocities after damping.
    pub(crate) v: &'a [Vec3],
    /// Positions and velocities one step earlier, where they are usable.
    pub(crate) before: Option<(&'a [Vec3], &'a [Vec3])>,
}

/// γ of TR-BDF2, for which both stages have the same τ = γh/2.
const GAMMA: f64 = 2.0 - std::f64::consts::SQRT_2;

fn combine(scratch: &mut Scratch, a: f64, x: &[Vec3], b: f64, y: &[Vec3]) -> Vec<Vec3> {
    scratch.collect(x.iter().zip(y).map(|(x, y)| *x * a + *y * b))
}

impl TimeIntegrator {
    /// Whether the first stage needs the acceleration at the beginning of the step.
    pub(crate) fn needs_acceleration(self) -> bool {
        self == Self::TrBdf2
    }

    /// Whether it looks back over substeps of equal length.
    pub(crate) fn looks_back(self) -> bool {
        matches!(self, Self::Bdf2 | Self::EnergyKeeping)
    }

    /// Whether it damps so little that what iterations leave is seen.
    pub(crate) fn is_sensitive(self) -> bool {
        matches!(self, Self::TrBdf2 | Self::ImplicitMidpoint | Self::EnergyKeeping)
    }

    /// The first stage. `acceleration` is given where it is needed.
    pub(crate) fn first_stage(self, begin: Beginning<'_>, acceleration: &[Vec3], scratch: &mut Scratch) -> Stage {
        let Beginning { h, x, v, before } = begin;
        let (velocity, origin) = (scratch.copy(v), scratch.copy(x));
        let euler = Stage { tau: h, base: None, velocity, origin, elapsed: h, moment: 1.0 };
        match (self, before) {
            (Self::ImplicitEuler, _) | (Self::Bdf2 | Self::EnergyKeeping, None) => euler,
            (Self::Bdf2 | Self::EnergyKeeping, Some((x_before, v_before))) => Stage {
                tau: 2.0 * h / 3.0,
                base: Some(combine(scratch, 4.0 / 3.0, x, -1.0 / 3.0, x_before)),
                velocity: combine(scratch, 4.0 / 3.0, v, -1.0 / 3.0, v_before),
                ..euler
            },
            (Self::ImplicitMidpoint, _) => Stage { tau: 0.5 * h, elapsed: 0.5 * h, moment: 0.5, ..euler },
            (Self::TrBdf2, _) => {
                let tau = 0.5 * GAMMA * h;
                Stage {
                    tau,
                    base: Some(combine(scratch, 1.0, x, tau, v)),
                    velocity: combine(scratch, 1.0, v, tau, acceleration),
                    // The trapezium averages forces over γh, the damping force at its beginning included. The mean rate
                    // of deformation over γh is that average; the stage weighs it with τ, half of γh, so it counts twice.
                    elapsed: tau,
                    moment: GAMMA,
                    ..euler
                }
            }
        }
    }

    /// The second stage, where there is one, after the first reached y with velocity u.
    pub(crate) fn second_stage(
        self,
        begin: Beginning<'_>,
        y: &[Vec3],
        u: &[Vec3],
        scratch: &mut Scratch,
    ) -> Option<Stage> {
        if self != Self::TrBdf2 {
            return None;
        }
        let scale = 1.0 / (GAMMA * (2.0 - GAMMA));
        let back = -(1.0 - GAMMA).powi(2) * scale;
        Some(Stage {
            tau: 0.5 * GAMMA * begin.h,
            base: Some(combine(scratch, scale, y, back, begin.x)),
            velocity: combine(scratch, scale, u, back, begin.v),
            origin: scratch.copy(y),
            elapsed: (1.0 - GAMMA) * begin.h,
            moment: 1.0,
        })
    }

    /// Positions and velocities at the end of the step, from those of the last stage.
    pub(crate) fn finish(self, begin: Beginning<'_>, y: &mut [Vec3], u: &mut [Vec3]) {
        if self == Self::ImplicitMidpoint {
            for i in 0..y.len() {
                y[i] = y[i] * 2.0 - begin.x[i];
                u[i] = u[i] * 2.0 - begin.v[i];
            }
        }
    }
}

impl Stage {
    /// X \[m\].
    pub(crate) fn base(&self) -> &[Vec3] {
        self.base.as_ref().unwrap_or(&self.origin)
    }

    /// v = (x − X)/τ.
    pub(crate) fn velocities(&self, x: &[Vec3], scratch: &mut Scratch) -> Vec<Vec3> {
        scratch.collect(x.iter().zip(self.base()).map(|(x, base)| (*x - *base) / self.tau))
    }

    /// Gives its vectors back.
    pub(crate) fn recycle(self, scratch: &mut Scratch) {
        scratch.give([self.velocity, self.origin].into_iter().chain(self.base));
    }
}
