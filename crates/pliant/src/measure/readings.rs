//! Physical quantities of a deformed state: stretches of elements, forces at pins, weights of examples.

use crate::energy::{Arrays, Batch, EnergyError, Operator, StrainSet, TetStrain, TriangleStrain};
use crate::force::pressure::add_pressure;
use crate::force::wind::Drag;
use crate::math::{Mat3, Vec3, svd_3x2, svd_3x3};
use crate::matter::fluid::{Fluid, FluidReadings};
use crate::matter::matching::Matching;
use crate::matter::rigid::RigidPose;
use crate::mesh::{TetMesh, TriangleMesh};
use crate::step::inputs::InputError;
use crate::step::simulation::Simulation;

impl TriangleMesh {
    /// Principal stretches of each triangle, the larger first. This mesh is the rest shape, and `positions` are the
    /// current ones \[m\]; 1 is unstretched.
    ///
    /// ```
    /// use pliant::math::Vec3;
    /// use pliant::mesh::generate::Sheet;
    /// let mesh = Sheet::default().mesh()?;
    /// let pulled: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::new(1.2 * p.x, 0.9 * p.y, 0.0)).collect();
    /// let [large, small] = mesh.principal_stretches(&pulled)?[0];
    /// assert!((large - 1.2).abs() < 1e-12 && (small - 0.9).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn principal_stretches(&self, positions: &[Vec3]) -> Result<Vec<[f64; 2]>, EnergyError> {
        same_length(positions.len(), self.positions.len())?;
        let strain = TriangleStrain { triangles: self.triangles.clone(), stiffness: 1.0, set: StrainSet::Rotation };
        let gradients = gradients::<2>(strain.build(&self.positions)?.operator(), positions);
        Ok(gradients.into_iter().map(|[a, b]| svd_3x2(a, b).sigma).collect())
    }
}

impl TetMesh {
    /// Principal stretches of each tet, the largest first. This mesh is the rest shape, and `positions` are the current
    /// ones \[m\]. Their product is the ratio of volumes; the last is negative if the tet is inverted.
    pub fn principal_stretches(&self, positions: &[Vec3]) -> Result<Vec<[f64; 3]>, EnergyError> {
        same_length(positions.len(), self.positions.len())?;
        let strain = TetStrain { tets: self.tets.clone(), stiffness: 1.0, set: StrainSet::Rotation };
        let gradients = gradients::<3>(strain.build(&self.positions)?.operator(), positions);
        Ok(gradients.into_iter().map(|[a, b, c]| svd_3x3(Mat3::from_cols(a, b, c)).sigma.to_array()).collect())
    }
}

fn same_length(found: usize, expected: usize) -> Result<(), EnergyError> {
    let kind = "principal stretches";
    if found == expected {
        Ok(())
    } else {
        Err(EnergyError::LengthMismatch { kind, name: "positions", found, expected })
    }
}

/// Columns of the deformation gradient of each element.
fn gradients<const R: usize>(operator: &Operator, positions: &[Vec3]) -> Vec<[Vec3; R]> {
    let gradient = |element| {
        let mut columns = [Vec3::ZERO; R];
        operator.apply(element, positions, &mut columns);
        columns
    };
    (0..operator.len()).map(gradient).collect()
}

/// Strains of the elements of one energy.
#[derive(Debug, Clone, PartialEq)]
pub struct ElementStrains {
    /// Kind of energy.
    pub kind: &'static str,
    /// Vertices of each element, in the world.
    pub elements: Vec<Vec<u32>>,
    /// Principal stretches of each element, the largest first; 1 is unstretched.
    pub stretches: Vec<Vec<f64>>,
}

impl Simulation {
    /// Principal stretches of the elements of a body at the current state: one list for each of its energies on
    /// springs, triangles or tets, except those on the same elements as an earlier one. The stretch of a spring is its
    /// length over its rest length, or over its length in the rest positions if it has limits instead of a rest length.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// let pulled: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::new(1.2 * p.x, 0.9 * p.y, 0.0)).collect();
    /// let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("cloth").with_positions(pulled);
    /// let strains = &Simulation::builder().body(cloth).build()?.element_strains("cloth")?[0];
    /// assert_eq!((strains.kind, strains.elements.len()), ("triangle_strain", 32));
    /// assert!((strains.stretches[0][0] - 1.2).abs() < 1e-12 && (strains.stretches[0][1] - 0.9).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn element_strains(&self, body: &str) -> Result<Vec<ElementStrains>, InputError> {
        let name = &self.body(body)?.name;
        let body = self.model.bodies().iter().position(|body| body.name == *name);
        let mut seen: Vec<&[u32]> = Vec::new();
        let mut strains = Vec::new();
        for entry in self.model.energies().iter().filter(|e| e.body == body && e.damping.is_none()) {
            let (batch, operator) = (entry.batch.as_ref(), entry.batch.operator());
            let measured = matches!(
                batch.kind(),
                "edge_spring"
                    | "triangle_strain"
                    | "triangle_area"
                    | "tet_strain"
                    | "tet_volume"
                    | "example_local"
                    | "example_global"
            );
            if !measured || seen.contains(&operator.corner_vertices()) {
                continue;
            }
            seen.push(operator.corner_vertices());
            let elements = (0..operator.len()).map(|element| operator.stencil(element).to_vec()).collect();
            strains.push(ElementStrains { kind: batch.kind(), elements, stretches: self.stretches(batch) });
        }
        Ok(strains)
    }

    fn stretches(&self, batch: &dyn Batch) -> Vec<Vec<f64>> {
        let (x, operator) = (&self.state.positions, batch.operator());
        if batch.kind() != "edge_spring" {
            return match operator.rows() {
                2 => gradients::<2>(operator, x).into_iter().map(|[a, b]| svd_3x2(a, b).sigma.to_vec()).collect(),
                _ => {
                    let stretches = |[a, b, c]: [Vec3; 3]| svd_3x3(Mat3::from_cols(a, b, c)).sigma.to_array().to_vec();
                    gradients::<3>(operator, x).into_iter().map(stretches).collect()
                }
            };
        }
        let lengths = match batch.arrays() {
            Arrays::EdgeSpring(lengths) => lengths,
            _ => Vec::new(),
        };
        let length = |ends: &[u32], at: &[Vec3]| at[ends[0] as usize].distance(at[ends[1] as usize]);
        let stretch = |element: usize| {
            let ends = operator.stencil(element);
            let rest = match lengths.get(element) {
                Some([low, high]) if low == high => *low,
                _ => length(ends, self.model.rest()),
            };
            vec![length(ends, x) / rest]
        };
        (0..operator.len()).map(stretch).collect()
    }

    /// Force that each pin exerts on its vertex to hold it against elastic forces, gravity, wind, pressure and the forces
    /// that were set \[N\], in the order of [`Model::pinned`](crate::Model::pinned). For a world at rest they add up to its
    /// weight; while a pin accelerates, the inertia of its vertex is added.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let rope = rope(Vec3::ZERO, Vec3::new(0.0, -1.0, 0.0), 4)?; // 1 m of 0.02 kg/m
    /// let rope = Body::strands(&rope, &StrandMaterial::default())?.pin([0]);
    /// let mut sim = Simulation::builder().body(rope).time_step(1.0).solver(NewtonParams::default()).build()?;
    /// for _ in 0..20 {
    ///     sim.step()?;
    /// }
    /// assert!((sim.pin_forces()[0].y - 0.02 * 9.81).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pin_forces(&self) -> Vec<Vec3> {
        let (x, v) = (&self.state.positions, &self.state.velocities);
        let (settings, mass) = (&self.settings, self.model.mass().lumped());
        let mut forces = self.elastic_forces();
        for ((force, given), mass) in forces.iter_mut().zip(&self.inputs.forces).zip(mass) {
            *force += *given + settings.gravity * *mass;
        }
        add_pressure(&self.model, x, &mut forces);
        if let Some(wind) = &settings.wind {
            let air = Drag::now(&self.model, wind, self.state.air, x, v, &self.state.channels);
            forces.iter_mut().zip(air).for_each(|(force, air)| *force += air);
        }
        self.model.pinned().iter().map(|&vertex| -forces[vertex as usize]).collect()
    }

    /// Example weights of a body's [`ExampleBased`](crate::energy::ExampleBased) energies at the current state: one list of
    /// weights for each element, or a single list if the whole body has one set of weights. Empty without such energies.
    pub fn example_weights(&self, body: &str) -> Result<Vec<Vec<f64>>, InputError> {
        let name = &self.body(body)?.name;
        let body = self.model.bodies().iter().position(|body| body.name == *name);
        let mut weights = Vec::new();
        for (entry, memory) in self.model.energies().iter().zip(self.projected()).filter(|(e, _)| e.body == body) {
            let sets = match entry.batch.kind() {
                "example_global" => 1,
                "example_local" => entry.batch.operator().len(),
                _ => continue,
            };
            weights.extend(memory.warm.chunks(memory.warm.len() / sets).map(<[f64]>::to_vec));
        }
        Ok(weights)
    }

    /// Pose and motion of a rigid body, computed from the current positions and velocities.
    pub fn rigid_pose(&self, body: &str) -> Result<RigidPose, InputError> {
        let pose = RigidPose::of(&self.model, &self.state, self.body_number(body)?);
        pose.ok_or_else(|| InputError::NotRigid(body.to_owned()))
    }

    /// The pieces into which a body with shape matching has broken: for each of its particles the number of its piece,
    /// in the order of their first particles. If the body has not broken or has no shape matching, all are in piece 0.
    pub fn pieces(&self, body: &str) -> Result<Vec<u32>, InputError> {
        let number = self.body_number(body)?;
        let rest = &self.model.rest()[self.model.bodies()[number].vertices.clone()];
        Ok(match self.model.matter_in::<Matching>(number) {
            Some(matching) => matching.pieces(rest, &self.state.breaks(number)),
            None => vec![0; rest.len()],
        })
    }

    /// Density and pressure of each particle of a fluid in the last step; none before the first step of this world, or
    /// after its solver or model was replaced.
    ///
    /// ```
    /// use pliant::mesh::generate::particle_block;
    /// use pliant::prelude::*;
    /// let water = FluidMaterial { spacing: 0.1, ..FluidMaterial::default() };
    /// let drop = Body::fluid(&particle_block(Vec3::splat(0.9), 0.1)?, &water)?.named("drop");
    /// let mut sim = Simulation::builder().body(drop).solver(PositionBasedParams::default()).build()?;
    /// assert_eq!(sim.fluid_readings("drop")?, None);
    /// sim.step()?;
    /// let readings = sim.fluid_readings("drop")?.ok_or("it has been stepped")?;
    /// let middle = 9 * 9 * 4 + 9 * 4 + 4;
    /// assert!((readings.densities[middle] / 1000.0 - 1.0).abs() < 1e-3, "{} kg/m³", readings.densities[middle]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fluid_readings(&self, body: &str) -> Result<Option<FluidReadings>, InputError> {
        let name = &self.body(body)?.name;
        let body = self.body_number(body)?;
        let same = |other: usize| self.plan.of_body[other] == self.plan.of_body[body];
        let mut fluids = self.model.matter_of::<Fluid>().map(|portion| portion.body).filter(|&other| same(other));
        let Some(number) = fluids.position(|other| other == body) else {
            return Err(InputError::NoFluid(name.clone()));
        };
        let group = &self.groups[self.plan.of_body[body]];
        Ok(group.solver.fluid_readings().into_iter().nth(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::{EdgeSprings, ExampleBased, ExampleWeights, SpringStiffness};
    use crate::force::wind::Wind;
    use crate::mesh::generate::{Plane, Sheet, TetBox};
    use crate::{Body, ClothMaterial};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn an_inverted_tet_has_a_negative_last_stretch() -> Outcome {
        let mesh = TetBox::default().mesh()?;
        let mirrored: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::new(3.0 * p.x, 2.0 * p.y, -0.5 * p.z)).collect();
        for stretches in mesh.principal_stretches(&mirrored)? {
            assert!((Vec3::from(stretches) - Vec3::new(3.0, 2.0, -0.5)).length() < 1e-12);
        }
        assert!(mesh.principal_stretches(&mirrored[1..]).is_err());
        Ok(())
    }

    #[test]
    fn pins_of_a_sheet_at_rest_hold_its_weight_and_the_wind_on_it() -> Outcome {
        let mesh = Sheet { columns: 3, rows: 3, plane: Plane::Xz, ..Sheet::default() }.mesh()?;
        let material = ClothMaterial::default();
        let cloth = Body::cloth(&mesh, &material)?.pin(0..16);
        let wind = Wind::new(Vec3::Y * 2.0);
        let mut sim = Simulation::builder().body(cloth).wind(wind).time_step(1e3).build()?;
        sim.step()?;
        let held = sim.pin_forces().iter().fold(Vec3::ZERO, |sum, f| sum + *f);
        // Whatever the length of the step.
        let (weight, lift) = (material.density * 9.81, 0.5 * 1.2 * 4.0);
        assert!((held - Vec3::Y * (weight - lift)).length() < 1e-12, "{held}");
        Ok(())
    }

    #[test]
    fn springs_are_measured_by_their_own_lengths_and_elements_once() -> Outcome {
        let line = vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
        let given = EdgeSprings {
            rest_lengths: Some(vec![0.5]),
            ..EdgeSprings::new(vec![[0, 1]], SpringStiffness::Uniform(1.0))
        };
        let limited =
            EdgeSprings { limits: [0.0, 3.0], ..EdgeSprings::new(vec![[1, 2]], SpringStiffness::Uniform(1.0)) };
        let mut body = Body::new(line.clone(), (0..3).map(|v| (v, v, 1.0)).collect()).named("line");
        for springs in [&given, &limited, &given] {
            body = body.with_energy(springs.build(&line)?);
        }
        let stretched = line.iter().map(|p| *p * 1.5).collect();
        let strains = Simulation::builder().body(body.with_positions(stretched)).build()?.element_strains("line")?;
        let found: Vec<f64> = strains.iter().flat_map(|s| s.stretches.iter().map(|stretch| stretch[0])).collect();
        assert_eq!(found, [3.0, 1.5]);
        Ok(())
    }

    #[test]
    fn weights_are_those_of_the_pose() -> Outcome {
        let mesh = TetBox { cells: [1; 3], ..TetBox::default() }.mesh()?;
        let pose = |stretch: f64| -> Vec<Vec3> { mesh.positions.iter().map(|p| p.with_x(stretch * p.x)).collect() };
        for (weights, count) in [(ExampleWeights::Global, 1), (ExampleWeights::Local, mesh.tets.len())] {
            let examples = ExampleBased { tets: mesh.tets.clone(), examples: vec![pose(2.0)], stiffness: 1.0, weights };
            let mass = (0..8).map(|v| (v, v, 1.0)).collect();
            let body = Body::new(mesh.positions.clone(), mass).with_energy(examples.build(&mesh.positions)?);
            let sim = Simulation::builder().body(body.named("car").with_positions(pose(1.25))).build()?;
            let found = sim.example_weights("car")?;
            assert_eq!(found.len(), count);
            assert!(found.iter().all(|weights| (weights[0] - 0.25).abs() < 1e-6));
        }
        Ok(())
    }
}
