//! What is seen of bodies, colliders and the ground: for a running scene and for a stored run.

use pliant::collide::Collider;
use pliant::math::Vec3;
use pliant::mesh::Bounds;
use pliant::{Fluid, FluidSurface, Simulation};
use pliant_io::store::Topology;
use pliant_io::write::{ExportError, VisibleBody, visible_bodies};
use pliant_picture::{Camera, ColliderSurfaces, Color, Extent, Ground as Floor, quantile, thickness, two_digits};
use pliant_scene::format::EnergySection;
use pliant_scene::{Look, Scene, View, Viewpoint as Place};

use crate::protocol::{BodyLayout, ColliderLayout, Ground, LiquidSurface, Pose, Viewpoint};

/// From the front, a little from the side and above.
const DIRECTION: Vec3 = Vec3::new(-0.45, -0.3, -1.0);
/// How far below what hangs the ground is, where nothing says: a share of the diagonal.
const DROP: f64 = 0.8;
/// Share of the vertices whose values are within the colours' range; the rest would wash out the others.
const SHOWN: f64 = 0.96;
/// Colliders larger than this many times what the bodies take up may leave the picture.
const LARGEST_COLLIDER: f64 = 2.5;

/// Bodies as they are drawn.
#[derive(Debug)]
pub(super) struct Bodies {
    pub(super) layouts: Vec<BodyLayout>,
    /// Bodies of fluids: their numbers, the spacing of particles, and the fluid.
    fluids: Vec<(usize, Fluid)>,
}

impl Bodies {
    /// Of a topology, coloured as the scene says. `diagonal` is that of the world \[m\].
    pub(super) fn new(
        topology: &Topology,
        sim: Option<&Simulation>,
        look: &Look,
        diagonal: f64,
    ) -> Result<Self, ExportError> {
        let (mut layouts, mut fluids) = (Vec::new(), Vec::new());
        for (number, body) in visible_bodies(topology)?.into_iter().enumerate() {
            let fluid = sim.and_then(|sim| {
                let own = sim.model().bodies().iter().position(|own| own.name == body.name)?;
                sim.model().matter_in::<Fluid>(own)
            });
            layouts.push(body_layout(number, body, fluid, look, diagonal));
            fluids.extend(fluid.map(|fluid| (number, fluid.clone())));
        }
        Ok(Self { layouts, fluids })
    }

    /// Surfaces of fluids. What waits in a pipe, and drops smaller than the cells of the surface, are not seen.
    pub(super) fn liquids(&self, positions: &[Vec3]) -> Vec<LiquidSurface> {
        let surface = |(number, fluid): &(usize, Fluid)| {
            let all = self.layouts[*number].points.iter().map(|&v| positions[v as usize]);
            let out: Vec<Vec3> = all.filter(|p| fluid.is_out(*p)).collect();
            let mesh = FluidSurface::new(fluid.material().spacing).mesh(&out).ok()?;
            Some(LiquidSurface { body: *number as u32, positions: single(&mesh.positions), triangles: mesh.triangles })
        };
        self.fluids.iter().filter_map(surface).collect()
    }
}

/// Positions as they are sent.
pub(super) fn single(positions: &[Vec3]) -> Vec<[f32; 3]> {
    positions.iter().map(|p| p.as_vec3().to_array()).collect()
}

fn body_layout(number: usize, body: VisibleBody, fluid: Option<&Fluid>, look: &Look, diagonal: f64) -> BodyLayout {
    let VisibleBody { name, vertices, triangles, segments, points } = body;
    let place = |v: u32| vertices[v as usize];
    let color = look.bodies.get(&name).map_or_else(|| Color::of_body(number), |color| Color(*color));
    let radius = match fluid {
        Some(fluid) => 0.5 * fluid.material().spacing,
        None => thickness(diagonal, &segments),
    };
    // Loose vertices of what has a surface are inside of it.
    let is_loose = triangles.is_empty() && segments.is_empty();
    BodyLayout {
        name,
        color: [color.0, color.back().0],
        triangles: triangles.iter().map(|t| t.map(place)).collect(),
        segments: if triangles.is_empty() { segments.iter().map(|s| s.map(place)).collect() } else { Vec::new() },
        points: if is_loose { points.iter().map(|&v| place(v)).collect() } else { Vec::new() },
        radius: radius as f32,
        is_fluid: fluid.is_some(),
    }
}

/// Colliders as they are drawn; planes as far as they are near a box. The ground is drawn as such.
pub(super) fn colliders(all: &[Collider], look: &Look, around: &Bounds) -> Vec<ColliderLayout> {
    let colors = look.colliders.iter().map(|color| color.map(Color)).collect();
    let surfaces = ColliderSurfaces::new(all).with_colors(colors);
    surfaces
        .parts(around)
        .into_iter()
        .map(|part| ColliderLayout {
            color: part.color.0,
            positions: single(&part.positions),
            triangles: part.triangles,
            is_plane: part.is_plane,
        })
        .collect()
}

/// Where colliders are at a time \[s\].
pub(super) fn poses(all: &[Collider], time: f64) -> Vec<Pose> {
    let pose = |collider: &Collider| {
        let pose = collider.pose(time);
        let turn = pose.rotation.as_quat();
        Pose { position: pose.position.as_vec3().to_array(), rotation: turn.to_array() }
    };
    all.iter().map(pose).collect()
}

/// The ground: a level plane among the colliders, a floor of the scene, or a plane below what hangs.
pub(super) fn ground(scene: Option<&Scene>, all: &[Collider], look: &Look, bounds: &Bounds) -> Ground {
    let colors = look.colliders.iter().map(|color| color.map(Color)).collect();
    let surfaces = ColliderSurfaces::new(all).with_colors(colors);
    let floors = scene.into_iter().flat_map(|scene| &scene.file().body).flat_map(|body| &body.energy);
    let floor = floors.filter_map(|energy| match energy {
        EnergySection::HalfSpace { point, normal, .. } if normal[1] > 0.0 && normal[0] == 0.0 && normal[2] == 0.0 => {
            Some(point[1])
        }
        _ => None,
    });
    let height = surfaces.ground(0.0).or(floor.reduce(f64::max));
    let height = height.unwrap_or(bounds.min.y - DROP * bounds.diagonal());
    let floor = Floor::at(height).with_lines_for(bounds.diagonal());
    let color = surfaces.ground_color(0.0).unwrap_or(floor.color);
    Ground { height: height as f32, color: color.0, spacing: floor.spacing as f32 }
}

/// The box around what is seen: positions, colliders that are not much larger, and the ground if it is near.
pub(super) fn bounds(positions: &[Vec3], all: &[Collider]) -> Bounds {
    let mut extent = Extent::default();
    extent.add(positions);
    let nothing = Bounds { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) };
    let own = extent.bounds().unwrap_or(nothing);
    let surfaces = ColliderSurfaces::new(all);
    if let Some(seen) = surfaces.extent(0.0, LARGEST_COLLIDER * own.diagonal()).bounds() {
        extent.add(&[seen.min, seen.max]);
    }
    extent.bounds().unwrap_or(own)
}

/// The camera to begin with: what the scene asks for, or from the front.
pub(super) fn viewpoint(view: Option<View>, bounds: &Bounds) -> Viewpoint {
    let standard = Camera::new(Vec3::ZERO, Vec3::NEG_Z);
    let centre = bounds.centre();
    let (eye, target, direction) = match view.map(|view| view.place) {
        Some(Place::Fixed { eye, target }) => (Some(eye.to_array()), target, target - eye),
        Some(Place::Framing(direction)) => (None, centre, direction.unwrap_or(DIRECTION)),
        None => (None, centre, DIRECTION),
    };
    let up = view.and_then(|view| view.up).unwrap_or(standard.up);
    let field_of_view = view.and_then(|view| view.field_of_view).unwrap_or(standard.field_of_view);
    let (target, direction, up) = (target.to_array(), direction.to_array(), up.to_array());
    Viewpoint { eye, target, direction, up, field_of_view }
}

/// Where the scale of colours ends: grows with what was seen, and is then rounded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scale(f64);

impl Scale {
    /// Takes values in; returns them as they are sent, and the end of the scale.
    pub(super) fn take(&mut self, values: Vec<f64>) -> (Vec<f32>, f32) {
        let sent = values.iter().map(|&value| value as f32).collect();
        self.0 = self.0.max(two_digits(quantile(values, SHOWN)));
        (sent, self.0 as f32)
    }
}
