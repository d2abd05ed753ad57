//! Bodies that are dropped into a running world.

use pliant::math::Vec3;

use crate::protocol::Thing;

/// A thing of a size \[m\] at a place \[m\], as a scene.
pub(super) fn scene_of(thing: Thing, name: &str, size: f64, place: Vec3) -> String {
    let [x, y, z] = place.to_array();
    let shape = match thing {
        Thing::Ball => format!(
            "shape.sdf = {{ cells = 5, solid.sphere = {{ radius = {} }} }}\nmaterial.solid = {{ preset = \"jelly\" }}",
            0.5 * size
        ),
        Thing::Cube => format!(
            "shape.box = {{ size = [{size}, {size}, {size}], cells = [4, 4, 4] }}\nmaterial.solid = {{ preset = \"jelly\" }}"
        ),
        Thing::Cloth => format!(
            "shape.sheet = {{ width = {0}, height = {0}, columns = 16, rows = 16, plane = \"xz\" }}\nmaterial.cloth = {{ preset = \"cotton\" }}",
            2.0 * size
        ),
        Thing::Rope => {
            format!(
                "shape.rope = {{ from = [{}, 0, 0], to = [{size}, 0, 0], segments = 24 }}\nmaterial.strand = {{ preset = \"cord\" }}",
                -size
            )
        }
    };
    format!("[[body]]\nname = \"{name}\"\n{shape}\ntransform = {{ translate = [{x}, {y}, {z}] }}\n")
}

/// A name that no body has yet.
pub(super) fn free_name<'a>(thing: Thing, taken: impl Iterator<Item = &'a str> + Clone) -> String {
    let number = (1..).find(|number| !taken.clone().any(|other| other == format!("{} {number}", thing.name())));
    format!("{} {}", thing.name(), number.unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_scene::Scene;

    #[test]
    fn every_thing_can_be_built_where_it_is_dropped() -> Result<(), Box<dyn std::error::Error>> {
        for thing in Thing::ALL {
            let place = Vec3::new(1.0, 2.0, -3.0);
            let run = Scene::parse("dropped.toml", &scene_of(thing, "thing", 0.25, place), &[])?.build()?;
            let x = run.sim.positions();
            let middle = x.iter().sum::<Vec3>() / x.len() as f64;
            assert!(middle.distance(place) < 0.02, "{thing:?} is at {middle}");
        }
        Ok(())
    }

    #[test]
    fn names_are_free() {
        assert_eq!(free_name(Thing::Ball, ["curtain", "ball 1", "ball 2"].into_iter()), "ball 3");
        assert_eq!(free_name(Thing::Rope, ["ball 1"].into_iter()), "rope 1");
    }
}
