//! A model under a change: masses, energies, pins and surfaces follow the cells.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::TopologyError;
use super::change::Change;
use super::fabric::Fabric;
use super::images::{Image, Images};
use crate::energy::{Batch, Rewiring};
use crate::math::Vec3;
use crate::mesh::{MassEntry, TetMesh, open_edges};
use crate::world::islands::Stamp;
use crate::world::lists::Known;
use crate::world::mass::Mass;
use crate::world::model::{EnergyEntry, Model, ModelParts};

/// For each element of a batch the one that it was; none for new ones.
pub(crate) type Sources = Vec<Option<u32>>;

/// What a model is made of, without the damping that follows from its energies.
pub(crate) fn parts_of(model: &Model, stiffness_damping: f64) -> Result<ModelParts, TopologyError> {
    let mut energies = Vec::new();
    for entry in model.energies().iter().filter(|entry| entry.damping.is_none()) {
        let operator = entry.batch.operator();
        let elements = (0..operator.len() as u32).map(|element| (element, 1.0)).collect();
        let same = Rewiring { elements, vertices: operator.corner_vertices().to_vec() };
        let batch = entry.batch.rewired(&same).ok_or_else(|| unsupported(model, entry))?;
        energies.push(EnergyEntry { batch: Arc::from(batch), ..entry.clone() });
    }
    if let Some(batch) = model.constraints().first() {
        let body = batch.stencil(0).first().map(|&v| model.locate(v as usize).0.name.clone());
        return Err(TopologyError::Unsupported { body, kind: batch.kind() });
    }
    let mut pinned = vec![false; model.rest().len()];
    model.pinned().iter().for_each(|&v| pinned[v as usize] = true);
    Ok(ModelParts {
        bodies: model.bodies().to_vec(),
        rest: model.rest().to_vec(),
        mass: model.mass().clone(),
        energies,
        constraints: Vec::new(),
        matter: model.matter().to_vec(),
        pinned,
        fabrics: model.fabrics().to_vec(),
        known: Known::default(),
        diagonal: model.diagonal(),
        stiffness_damping,
    })
}

fn unsupported(model: &Model, entry: &EnergyEntry) -> TopologyError {
    let body = entry.body.map(|body| model.bodies()[body].name.clone());
    TopologyError::Unsupported { body, kind: entry.batch.kind() }
}

/// What a body is made of that cannot part, if it is.
pub(super) fn inseparable(parts: &ModelParts, body: usize) -> Option<TopologyError> {
    let entry = parts.matter.iter().find(|entry| entry.body == body)?;
    Some(TopologyError::Unsupported { body: Some(parts.bodies[body].name.clone()), kind: entry.matter.kind() })
}

/// Changes a model's parts; says for each batch which element is which.
pub(crate) fn apply(parts: &mut ModelParts, change: &Change) -> Result<Vec<Sources>, TopologyError> {
    let (body, more) = (change.body, change.vertices.len());
    if let Some(refused) = inseparable(parts, body) {
        return Err(refused);
    }
    let range = parts.bodies[body].vertices.clone();
    let (base, count, end) = (range.start, range.len(), range.end);
    let fabric = parts.fabrics[body].changed(change);
    let rest = change.carried(&parts.rest, base, count);
    let own_rest = &rest[base..end + more];
    let images = Images::new(change, &parts.fabrics[body].cells, &fabric.cells, own_rest);
    let in_body = |error| TopologyError::Energy { body: parts.bodies[body].name.clone(), error: Box::new(error) };
    let is_refined = !(change.added.is_empty() && change.moved.is_empty());
    let rebuilt = if !is_refined { None } else { fabric.rebuild(own_rest).map_err(in_body)? };
    let mut plate = if is_refined { None } else { fabric.torn_plate(own_rest).map_err(in_body)? };
    let (new_batches, new_mass) = rebuilt.map_or((Vec::new(), None), |r| (r.energies, Some(r.mass)));

    let entries = match new_mass {
        Some(entries) => entries,
        None => shared_mass(&parts.mass, base, count, &images)
            .ok_or_else(|| TopologyError::Divided { body: parts.bodies[body].name.clone(), kind: "mass" })?,
    };
    let mass = parts.mass.with_body(range.clone(), count + more, &entries);

    let world = World { base, count, more };
    let mut sources = Vec::new();
    let mut substance = new_batches.into_iter();
    let mut own_energies = 0;
    for entry in &mut parts.energies {
        let operator = entry.batch.operator();
        if let Some(other) = entry.body.filter(|other| *other != body) {
            sources.push((0..operator.len() as u32).map(Some).collect());
            if other > body {
                // Its copy was made for this.
                let unsupported = TopologyError::Unsupported { body: None, kind: entry.batch.kind() };
                let batch = Arc::get_mut(&mut entry.batch).ok_or(unsupported)?;
                batch.operator_mut().shift_vertices(more as u32);
            }
            continue;
        }
        let name = entry.body.map(|b| parts.bodies[b].name.clone());
        // A body's first energies are those of its substance.
        if entry.body.is_some()
            && let Some(mut batch) = substance.next()
        {
            batch.operator_mut().shift_vertices(base as u32);
            sources.push(world.matched(entry.batch.as_ref(), batch.as_ref(), &images));
            *entry = EnergyEntry::new(Arc::from(batch), entry.body);
            continue;
        }
        if entry.body.is_some() {
            own_energies += 1;
            if let Some((_, mut batch)) = plate.take_if(|(place, _)| *place + 1 == own_energies) {
                batch.operator_mut().shift_vertices(base as u32);
                // It remembers nothing.
                sources.push(vec![None; batch.operator().len()]);
                *entry = EnergyEntry::new(Arc::from(batch), entry.body);
                continue;
            }
        }
        let kind = entry.batch.kind();
        let rewiring = world.rewiring(entry.batch.as_ref(), &images);
        let rewiring = rewiring.map(|rewiring| world.inherited(entry.batch.as_ref(), rewiring, change));
        let rewiring =
            rewiring.ok_or_else(|| TopologyError::Divided { body: name.clone().unwrap_or_default(), kind })?;
        let batch = entry.batch.rewired(&rewiring).ok_or(TopologyError::Unsupported { body: name, kind })?;
        *entry = EnergyEntry::new(Arc::from(batch), entry.body);
        sources.push(rewiring.elements.iter().map(|(old, _)| Some(*old)).collect());
    }

    let mut pinned = parts.pinned[..end].to_vec();
    for origin in &change.vertices {
        let is_held = origin.parents().all(|(v, _)| pinned[base + v as usize]);
        if let (true, Some(copied)) = (is_held, origin.copied()) {
            parts.bodies[body].welded.push([pinned.len() as u32, base as u32 + copied]);
        }
        pinned.push(is_held);
    }
    pinned.extend_from_slice(&parts.pinned[end..]);

    for later in &mut parts.bodies[body + 1..] {
        later.vertices = later.vertices.start + more..later.vertices.end + more;
        let shift = more as u32;
        later.surface.as_flattened_mut().iter_mut().for_each(|v| *v += shift);
        later.segments.as_flattened_mut().iter_mut().for_each(|v| *v += shift);
        later.welded.as_flattened_mut().iter_mut().for_each(|v| *v += shift);
    }
    let info = &mut parts.bodies[body];
    info.vertices = base..end + more;
    let open_before = if info.pressure == 0.0 { 0 } else { open_edges(&info.surface) };
    draw(&fabric, own_rest, base as u32, &mut info.surface, &mut info.segments)?;
    // Air escapes through a hole.
    if info.pressure != 0.0 && open_edges(&info.surface) > open_before {
        info.pressure = 0.0;
    }

    (parts.rest, parts.mass, parts.pinned) = (rest, mass, pinned);
    parts.fabrics[body] = Arc::new(fabric);
    parts.bodies[body].stamp = Stamp::new();
    Ok(sources)
}

/// The surface and segments of a body's cells, in vertices of the world.
fn draw(
    fabric: &Fabric,
    rest: &[Vec3],
    base: u32,
    surface: &mut Vec<[u32; 3]>,
    segments: &mut Vec<[u32; 2]>,
) -> Result<(), TopologyError> {
    match fabric.cells.corners() {
        2 => *segments = fabric.cells.arrays().into_iter().map(|s: [u32; 2]| s.map(|v| v + base)).collect(),
        3 => *surface = fabric.cells.arrays().into_iter().map(|t: [u32; 3]| t.map(|v| v + base)).collect(),
        _ => {
            let skin = TetMesh { positions: rest.to_vec(), tets: fabric.cells.arrays() }.surface()?;
            let outer = |v: u32| skin.vertices[v as usize] + base;
            *surface = skin.mesh.triangles.iter().map(|t| t.map(outer)).collect();
        }
    }
    Ok(())
}

/// The masses of a body, shared among copies by the rest measures of the cells around them. None where a cell was divided.
fn shared_mass(mass: &Mass, base: usize, count: usize, images: &Images<'_>) -> Option<Vec<MassEntry>> {
    let own = base..base + count;
    let diagonal = (0u32..).zip(&mass.diagonal()[own.clone()]).map(|(v, m)| (v, v, *m));
    let beside = mass.off_diagonal().iter().filter(|(i, _, _)| own.contains(&(*i as usize)));
    let beside = beside.map(|&(i, j, m)| (i - base as u32, j - base as u32, m));
    let mut entries = Vec::new();
    for (i, j, value) in diagonal.chain(beside) {
        let image = if i == j { images.of(&[i]) } else { images.of(&[i, j]) };
        match image {
            Image::Same => entries.push((i, j, value)),
            Image::Parts(shares) => {
                let mut left = value;
                for (stencil, share) in shares.iter().skip(1) {
                    entries.push((stencil[0], stencil[stencil.len() - 1], share * value));
                    left -= share * value;
                }
                // The first takes what is left, so that nothing is lost by rounding.
                entries.push((shares[0].0[0], shares[0].0[shares[0].0.len() - 1], left));
            }
            Image::Gone | Image::Divided => return None,
        }
    }
    Some(entries)
}

/// From vertices of the world to those of the body and back.
struct World {
    base: usize,
    count: usize,
    more: usize,
}

impl World {
    fn is_inside(&self, vertex: u32) -> bool {
        (self.base..self.base + self.count).contains(&(vertex as usize))
    }

    /// What became of an element, in vertices of the world.
    fn image(&self, stencil: &[u32], images: &Images<'_>) -> Image {
        let own: Vec<u32> = stencil.iter().filter(|v| self.is_inside(**v)).map(|v| v - self.base as u32).collect();
        let outside = |v: u32| if (v as usize) < self.base { v } else { v + self.more as u32 };
        let placed = |image: &[u32]| {
            let mut inside = image.iter();
            let place = |&v: &u32| match self.is_inside(v) {
                true => inside.next().map_or(v, |own| own + self.base as u32),
                false => outside(v),
            };
            stencil.iter().map(place).collect::<Vec<u32>>()
        };
        if own.is_empty() {
            return Image::Parts(vec![(placed(&[]), 1.0)]);
        }
        match images.of(&own) {
            Image::Same => Image::Parts(vec![(placed(&own), 1.0)]),
            Image::Parts(parts) => Image::Parts(parts.iter().map(|(part, share)| (placed(part), *share)).collect()),
            other => other,
        }
    }

    /// Elements that stay, in their order, then copies. None where one lay in a cell that was divided.
    fn rewiring(&self, batch: &dyn Batch, images: &Images<'_>) -> Option<Rewiring> {
        let operator = batch.operator();
        let (mut rewiring, mut copies) = (Rewiring::default(), Vec::new());
        for element in 0..operator.len() {
            match self.image(operator.stencil(element), images) {
                Image::Parts(parts) => {
                    let mut parts = parts.into_iter().map(|(stencil, share)| (element as u32, share, stencil));
                    if let Some((element, share, stencil)) = parts.next() {
                        rewiring.elements.push((element, share));
                        rewiring.vertices.extend(stencil);
                    }
                    copies.extend(parts);
                }
                Image::Gone => {}
                Image::Same | Image::Divided => return None,
            }
        }
        for (element, share, stencil) in copies {
            rewiring.elements.push((element, share));
            rewiring.vertices.extend(stencil);
        }
        Some(rewiring)
    }

    /// A new point between vertices that all have an element of their own, with the same goals, has one too: it is kept above the
    /// same floor.
    fn inherited(&self, batch: &dyn Batch, mut rewiring: Rewiring, change: &Change) -> Rewiring {
        let operator = batch.operator();
        let is_single = (0..operator.len()).all(|element| operator.stencil(element).len() == 1);
        if !is_single || change.vertices.iter().all(|origin| origin.copied().is_some()) {
            return rewiring;
        }
        let goals = batch.initial_goals();
        let stride = goals.len().checked_div(operator.len()).unwrap_or(0);
        let own = |element: u32| &goals[stride * element as usize..stride * (element as usize + 1)];
        let old = rewiring.elements.iter().map(|(old, _)| *old);
        let mut elements: BTreeMap<u32, u32> = rewiring.vertices.iter().copied().zip(old).collect();
        for (k, origin) in (0u32..).zip(&change.vertices) {
            let (vertex, base) = ((self.base + self.count) as u32 + k, self.base as u32);
            let parents: Option<Vec<u32>> =
                origin.parents().map(|(parent, _)| elements.get(&(base + parent)).copied()).collect();
            if let Some([first, others @ ..]) = parents.as_deref()
                && others.iter().all(|other| own(*other) == own(*first))
                && !elements.contains_key(&vertex)
            {
                elements.insert(vertex, *first);
                rewiring.elements.push((*first, 1.0));
                rewiring.vertices.push(vertex);
            }
        }
        rewiring
    }

    /// Which element of a batch each one of a batch made anew was.
    fn matched(&self, before: &dyn Batch, after: &dyn Batch, images: &Images<'_>) -> Sources {
        let (old, new) = (before.operator(), after.operator());
        let mut places = BTreeMap::new();
        for element in 0..old.len() {
            if let Image::Parts(parts) = self.image(old.stencil(element), images) {
                places.extend(parts.into_iter().map(|(stencil, _)| (stencil, element as u32)));
            }
        }
        (0..new.len()).map(|element| places.get(new.stencil(element)).copied()).collect()
    }
}
