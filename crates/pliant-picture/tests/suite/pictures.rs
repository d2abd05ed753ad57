//! What a picture must show, whatever its style.
#![allow(clippy::unwrap_used)]

use pliant::Emitter;
use pliant::collide::{Key, Pose};
use pliant::mesh::generate::{Icosphere, particle_block};
use pliant::prelude::*;
use pliant_picture::{
    Camera, Color, ColorMap, Ground, Image, Legend, Light, Lines, Mesh, Paint, Points, RenderOptions, Scene, ViewError,
    Wireframe, render,
};

const RED: Color = Color::hex(0xd02020);
const BLUE: Color = Color::hex(0x2030d0);

fn options() -> RenderOptions {
    RenderOptions { width: 200, height: 160, shadow_resolution: 256, sky_samples: 16, ..RenderOptions::default() }
}

fn camera() -> Camera {
    Camera::new(Vec3::new(0.0, 0.0, 5.0), Vec3::ZERO)
}

fn draw(scene: &Scene) -> Image {
    render(scene, &camera(), &options()).unwrap()
}

/// Pixels that differ from those of an empty scene.
fn covered(image: &Image, camera: &Camera, options: &RenderOptions) -> Vec<bool> {
    let empty = render(&Scene::default(), camera, options).unwrap();
    image.pixels().iter().zip(empty.pixels()).map(|(a, b)| a != b).collect()
}

/// A square that faces +z, front to the eye.
fn square(z: f64, half: f64, paint: impl Into<Paint>) -> Mesh {
    let corner = |x: f64, y: f64| Vec3::new(half * x, half * y, z);
    let positions = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    Mesh::new(positions, vec![[0, 1, 2], [0, 2, 3]], paint)
}

fn middle(image: &Image) -> [u8; 3] {
    image.pixel(image.width() / 2, image.height() / 2)
}

/// The pixel in which a point lies, for cameras without roll.
fn pixel_at(image: &Image, camera: &Camera, point: Vec3) -> [u8; 3] {
    let forward = (camera.target - camera.eye).normalize();
    let right = forward.cross(Vec3::Y).normalize();
    let offset = point - camera.eye;
    let scale = 0.5 * image.height() as f64 / (0.5 * camera.field_of_view).tan() / offset.dot(forward);
    let x = 0.5 * image.width() as f64 + scale * offset.dot(right);
    let y = 0.5 * image.height() as f64 - scale * offset.dot(right.cross(forward));
    image.pixel(x as usize, y as usize)
}

fn is_red(pixel: [u8; 3]) -> bool {
    pixel[0] > 2 * pixel[2].max(pixel[1])
}

fn is_blue(pixel: [u8; 3]) -> bool {
    pixel[2] > 2 * pixel[0].max(pixel[1])
}

fn brightness(pixel: [u8; 3]) -> u32 {
    pixel.iter().map(|&x| u32::from(x)).sum()
}

#[test]
fn a_ball_covers_the_disc_that_perspective_predicts() {
    let options = RenderOptions { width: 400, height: 400, samples: 1, ..options() };
    let (radius, distance) = (0.8, 5.0f64);
    let camera = camera();
    // Half the picture's height is tan(fov/2) at distance one; the silhouette is at asin(r/d).
    let focal = 200.0 / (0.5 * camera.field_of_view).tan();
    let predicted = std::f64::consts::PI * (focal * (radius / distance).asin().tan()).powi(2);
    let ball = Points::new(vec![Vec3::ZERO], radius, RED);
    let capsule = Lines::new(vec![Vec3::ZERO; 2], vec![[0, 1]], radius, RED);
    let mesh = Icosphere { radius, subdivisions: 5 }.mesh().unwrap();
    let mesh = Mesh::new(mesh.positions, mesh.triangles, RED);
    let scenes = [
        Scene { points: vec![ball], ..Scene::default() },
        Scene { lines: vec![capsule], ..Scene::default() },
        Scene { meshes: vec![mesh], ..Scene::default() },
    ];
    for scene in &scenes {
        let image = render(scene, &camera, &options).unwrap();
        let found = covered(&image, &camera, &options).iter().filter(|&&hit| hit).count() as f64;
        assert!((found / predicted - 1.0).abs() < 0.01, "{found} pixels, predicted {predicted}");
    }
}

#[test]
fn a_tube_covers_its_length_times_its_thickness() {
    let options = RenderOptions { width: 400, height: 400, samples: 1, ..options() };
    let camera = Camera { field_of_view: 0.02, ..Camera::new(Vec3::new(0.0, 0.0, 200.0), Vec3::ZERO) };
    let focal = 200.0 / 0.01f64.tan();
    let (length, radius, scale) = (2.0, 0.1, focal / 200.0);
    let tilted = 0.5 * length * Vec3::new(0.6, 0.8, 0.0);
    let tube = Lines::new(vec![-tilted, tilted], vec![[0, 1]], radius, RED);
    let image = render(&Scene { lines: vec![tube], ..Scene::default() }, &camera, &options).unwrap();
    let predicted = (2.0 * radius * length + std::f64::consts::PI * radius * radius) * scale * scale;
    let found = covered(&image, &camera, &options).iter().filter(|&&hit| hit).count() as f64;
    assert!((found / predicted - 1.0).abs() < 0.02, "{found} pixels, predicted {predicted}");
}

#[test]
fn neighbouring_triangles_leave_no_gap() {
    let mesh = Icosphere { radius: 1.0, subdivisions: 4 }.mesh().unwrap();
    let scene = Scene { meshes: vec![Mesh::new(mesh.positions, mesh.triangles, RED)], ..Scene::default() };
    let options = RenderOptions { samples: 1, ..options() };
    let hits = covered(&render(&scene, &camera(), &options).unwrap(), &camera(), &options);
    for row in hits.chunks(options.width) {
        let changes = row.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(changes <= 2, "a hole in a ball");
    }
}

#[test]
fn the_nearer_square_is_seen_in_any_order() {
    let (near, far) = (square(1.0, 0.5, RED), square(-1.0, 0.5, BLUE));
    for meshes in [vec![near.clone(), far.clone()], vec![far, near]] {
        assert!(is_red(middle(&draw(&Scene { meshes, ..Scene::default() }))));
    }
    let ball = Points::new(vec![Vec3::new(0.0, 0.0, 2.0)], 0.2, BLUE);
    let scene = Scene { meshes: vec![square(1.0, 0.5, RED)], points: vec![ball], ..Scene::default() };
    assert!(is_blue(middle(&draw(&scene))));
}

#[test]
fn each_side_has_its_own_colour() {
    let scene = Scene { meshes: vec![square(0.0, 1.0, Paint::Plain { front: RED, back: BLUE })], ..Scene::default() };
    let seen = |z: f64| middle(&render(&scene, &Camera::new(Vec3::Z * z, Vec3::ZERO), &options()).unwrap());
    assert!(is_red(seen(4.0)));
    assert!(is_blue(seen(-4.0)));
}

#[test]
fn a_one_sided_square_is_seen_from_its_front_only() {
    let front = Mesh { one_sided: true, ..square(1.0, 0.5, RED) };
    let mut back = Mesh { one_sided: true, ..square(1.5, 0.5, BLUE) };
    back.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    let image = draw(&Scene { meshes: vec![back, front], ..Scene::default() });
    assert!(is_red(middle(&image)), "what turns its back is looked through");
}

#[test]
fn colliders_are_drawn_grey_where_they_are_at_a_time() {
    let key = |time: f64, x: f64| Key { time, pose: Pose { position: Vec3::X * x, ..Pose::default() } };
    let ball = Collider::new(Shape::Sphere { radius: 0.4 }).moving(vec![key(0.0, -0.8), key(1.0, 0.8)]);
    let floor = Collider::new(Shape::Plane).at(Vec3::Y * -0.9);
    let picture = |time: f64| {
        let mut scene = Scene { meshes: vec![square(-1.0, 0.1, RED)], ..Scene::default() };
        scene.add_colliders(&[ball.clone(), floor.clone()], time);
        assert_eq!(scene.ground.map(|ground| ground.height), Some(-0.9));
        draw(&scene)
    };
    let grey = |image: &Image, x: f64| {
        let [r, g, b] = pixel_at(image, &camera(), Vec3::new(x, 0.0, 0.4));
        r.abs_diff(g) < 12 && g.abs_diff(b) < 16 && r < 190
    };
    let (early, late) = (picture(0.0), picture(1.0));
    assert!(grey(&early, -0.7) && !grey(&early, 0.7));
    assert!(grey(&late, 0.7) && !grey(&late, -0.7));
}

#[test]
fn the_shadow_falls_away_from_the_light() {
    // From straight above; x runs to the right.
    let camera = Camera { up: Vec3::NEG_Z, ..Camera::new(Vec3::new(0.0, 8.0, 0.0), Vec3::ZERO) };
    let ball = Points::new(vec![Vec3::new(0.0, 1.0, 0.0)], 0.3, RED);
    let focal = 80.0 / (0.5 * camera.field_of_view).tan();
    let column = |x: f64| (100.0 + focal * x / 8.0) as usize;
    for side in [-1.0, 1.0] {
        let light = Light { direction: Vec3::new(side, 1.0, 0.0), ..Light::default() };
        let scene = Scene { points: vec![ball.clone()], ground: Some(Ground::at(0.0)), light, ..Scene::default() };
        let image = render(&scene, &camera, &options()).unwrap();
        // At 45° the shadow's middle is as far away as the ball is high.
        let (lit, dark) = (image.pixel(column(1.05 * side), 78), image.pixel(column(-1.05 * side), 78));
        assert!(brightness(dark) * 4 < brightness(lit) * 3, "shadow {dark:?}, light {lit:?}");
        let unshadowed = render(&scene, &camera, &RenderOptions { shadows: false, ..options() }).unwrap();
        assert!(brightness(unshadowed.pixel(column(-1.05 * side), 78)) * 10 > brightness(lit) * 9);
    }
}

#[test]
fn a_lit_sheet_is_not_in_its_own_shadow() {
    // Slanted to the light, where depth maps show stripes if the bias is too small.
    for tilt in [0.0, 0.4, 0.8, 1.2] {
        let mut sheet = square(0.0, 1.0, Color::hex(0x808080));
        let turn = Mat3::from_rotation_y(tilt);
        sheet.positions.iter_mut().for_each(|p| *p = turn * *p);
        sheet.gloss = 0.0;
        let light = Light { direction: Vec3::new(0.0, 0.3, 1.0), ..Light::default() };
        let scene = Scene { meshes: vec![sheet], light, ..Scene::default() };
        let with = middle(&draw(&scene));
        let without = middle(&render(&scene, &camera(), &RenderOptions { shadows: false, ..options() }).unwrap());
        assert!(brightness(with).abs_diff(brightness(without)) <= 3, "{with:?} against {without:?} at {tilt}");
    }
}

#[test]
fn the_foot_of_a_ball_is_darker_than_open_ground() {
    let ball = Points::new(vec![Vec3::new(0.0, 0.5, 0.0)], 0.5, RED);
    let light = Light { brightness: 0.0, ..Light::default() };
    let scene = Scene { points: vec![ball], ground: Some(Ground::at(0.0)), light, ..Scene::default() };
    let camera = Camera::new(Vec3::new(0.0, 3.0, 3.0), Vec3::new(0.0, 0.0, 0.6));
    let image = render(&scene, &camera, &options()).unwrap();
    let (near, open) = (pixel_at(&image, &camera, Vec3::Z * 0.45), pixel_at(&image, &camera, Vec3::Z * 1.7));
    assert!(brightness(near) * 10 < brightness(open) * 9, "{near:?} at the foot, {open:?} in the open");
}

#[test]
fn scalars_become_the_colours_of_the_map() {
    let values = vec![0.0, 0.0, 2.0, 2.0];
    let paint = Paint::Scalar { values, range: [0.0, 2.0], map: ColorMap::Dusk };
    let image = draw(&Scene { meshes: vec![square(0.0, 1.2, paint)], ..Scene::default() });
    // Rising: dark violet below, yellow above.
    let (low, high) = (image.pixel(100, 130), image.pixel(100, 30));
    assert!(brightness(low) < brightness(high), "{low:?} below, {high:?} above");
    assert!(low[2] > low[1] && high[1] > high[2]);
}

#[test]
fn a_wireframe_darkens_edges_only() {
    let mut mesh = square(0.0, 1.0, RED);
    mesh.gloss = 0.0;
    let plain = draw(&Scene { meshes: vec![mesh.clone()], ..Scene::default() });
    mesh.wireframe = Some(Wireframe { width: 2.0, ..Wireframe::default() });
    let wired = draw(&Scene { meshes: vec![mesh], ..Scene::default() });
    assert!(brightness(wired.pixel(100, 79)) * 2 < brightness(plain.pixel(100, 79)), "the diagonal");
    assert_eq!(wired.pixel(85, 60), plain.pixel(85, 60), "inside a triangle");
}

fn rich_scene() -> Scene {
    let mesh = Icosphere { radius: 0.5, subdivisions: 3 }.mesh().unwrap();
    let values = mesh.positions.iter().map(|p| p.y).collect();
    let range = [-0.5, 0.5];
    let map = ColorMap::Balance;
    let hair = (0..40).map(|k| Vec3::new(f64::from(k) * 0.04 - 0.8, (f64::from(k) * 0.7).sin() * 0.3 + 0.6, 0.3));
    let segments = (0..39).map(|k| [k, k + 1]).collect();
    Scene {
        meshes: vec![Mesh::new(mesh.positions, mesh.triangles, Paint::Scalar { values, range, map })],
        lines: vec![Lines::new(hair.collect(), segments, 0.001, BLUE)],
        points: vec![Points::new(vec![Vec3::new(0.8, -0.3, 0.2), Vec3::new(-0.7, -0.4, 0.5)], 0.15, RED)],
        ground: Some(Ground::at(-0.55)),
        legend: Some(Legend { label: "height [m]".to_owned(), range, map }),
        caption: Some("t = 0.25 s".to_owned()),
        ..Scene::default()
    }
}

#[test]
fn threads_change_no_byte() {
    let scene = rich_scene();
    let camera = Camera::framing(&scene.extent().bounds().unwrap(), Vec3::new(-0.3, -0.4, -1.0), options().aspect());
    let with = |threads| render(&scene, &camera, &RenderOptions { threads, ..options() }).unwrap();
    let one = with(Some(1));
    assert!(one == with(Some(2)) && one == with(Some(3)) && one == with(None));
}

#[test]
fn a_framed_box_fits_and_fills_the_picture() {
    for direction in [Vec3::NEG_Z, Vec3::new(0.5, -0.4, -1.0), Vec3::new(0.0, -1.0, 0.0)] {
        let scene = rich_scene();
        let bounds = scene.extent().bounds().unwrap();
        let (min, max) = (bounds.min, bounds.max);
        let corners = (0..8).map(|k| {
            let pick = |bit: u8, a: f64, b: f64| if k >> bit & 1 == 0 { a } else { b };
            Vec3::new(pick(0, min.x, max.x), pick(1, min.y, max.y), pick(2, min.z, max.z))
        });
        let corners = Points::new(corners.collect(), 0.002, RED);
        let camera = Camera::framing(&bounds, direction, options().aspect());
        let image = render(&Scene { points: vec![corners], ..Scene::default() }, &camera, &options()).unwrap();
        let hits = covered(&image, &camera, &options());
        let at = |k: usize| [k % 200, k / 200];
        let hits: Vec<[usize; 2]> = (0..hits.len()).filter(|&k| hits[k]).map(at).collect();
        let low: [usize; 2] = std::array::from_fn(|k| hits.iter().map(|hit| hit[k]).min().unwrap());
        let high: [usize; 2] = std::array::from_fn(|k| hits.iter().map(|hit| hit[k]).max().unwrap());
        assert!(low[0] >= 4 && low[1] >= 4 && high[0] <= 195 && high[1] <= 155, "{low:?} {high:?}");
        assert!(high[0] - low[0] > 165 || high[1] - low[1] > 130, "{low:?} {high:?}");
    }
}

#[test]
fn an_empty_scene_is_sky() {
    let image = draw(&Scene::default());
    let top = image.pixel(0, 0);
    assert!(top[2] > top[0], "blue above");
    let ground = Scene { ground: Some(Ground::at(-1.0)), ..Scene::default() };
    assert_ne!(draw(&ground), image);
}

#[test]
fn what_is_not_a_number_is_named() {
    let mut mesh = square(0.0, 1.0, RED);
    mesh.positions[2].y = f64::NAN;
    let scene = Scene { meshes: vec![square(0.0, 1.0, RED), mesh], ..Scene::default() };
    let error = render(&scene, &camera(), &options()).unwrap_err();
    assert!(error.to_string().starts_with("vertex 2 of mesh 1 is at"), "{error}");

    let lost = Camera { target: Vec3::new(f64::NAN, 0.0, 0.0), ..camera() };
    assert!(matches!(render(&Scene::default(), &lost, &options()), Err(ViewError::BadCamera { .. })));
    let nowhere = Camera { target: camera().eye, ..camera() };
    assert!(matches!(render(&Scene::default(), &nowhere, &options()), Err(ViewError::BadCamera { .. })));
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    let mut mesh = square(0.0, 1.0, RED);
    mesh.triangles.push([0, 1, 9]);
    let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    let error = render(&scene, &camera(), &options()).unwrap_err();
    assert_eq!(error.to_string(), "element 2 of mesh 0 names vertex 9, but there are only 4 vertices");
    let paint = Paint::Scalar { values: vec![1.0], range: [0.0, 1.0], map: ColorMap::Dusk };
    let scene = Scene { meshes: vec![square(0.0, 1.0, paint)], ..Scene::default() };
    let error = render(&scene, &camera(), &options()).unwrap_err();
    assert_eq!(error.to_string(), "the scalar of mesh 0 has 1 entries, but 4 are needed");
}

#[test]
fn images_without_pixels_or_beyond_memory_are_refused() {
    for (width, height, samples) in [(0, 10, 2), (10, 0, 2), (10, 10, 0), (1 << 40, 1 << 40, 2), (1 << 20, 1 << 20, 1)]
    {
        let options = RenderOptions { width, height, samples, ..options() };
        assert!(matches!(render(&rich_scene(), &camera(), &options), Err(ViewError::ImageSize { .. })));
    }
}

#[test]
fn odd_but_finite_scenes_are_drawn() {
    let far = |scale: f64| {
        let mut mesh = square(0.0, 1.0, RED);
        mesh.positions.iter_mut().for_each(|p| *p *= scale);
        mesh
    };
    let mut flat = square(0.0, 1.0, RED);
    flat.positions = vec![Vec3::ZERO; 4];
    flat.wireframe = Some(Wireframe::default());
    let mut line = square(0.0, 1.0, RED);
    line.positions.iter_mut().for_each(|p| p.y = 0.0);
    // One corner behind the eye.
    let mut through = square(0.0, 1.0, RED);
    through.positions[0].z = 9.0;
    let values = vec![f64::NAN, f64::INFINITY, 0.0, -1.0];
    let odd = Paint::Scalar { values, range: [1.0, 1.0], map: ColorMap::Dusk };
    let meshes = [far(1e-300), far(1e300), far(1e154), flat, line, through, square(0.0, 1.0, odd)];
    for mesh in meshes {
        let scene = Scene { meshes: vec![mesh], ground: Some(Ground::at(-1.0)), ..Scene::default() };
        draw(&scene);
    }
    let within = Points::new(vec![camera().eye], 1.0, RED);
    draw(&Scene { points: vec![within], ..Scene::default() });
    let nothing = Lines::new(vec![Vec3::ZERO; 3], vec![[0, 1], [1, 1]], 0.0, RED);
    draw(&Scene { lines: vec![nothing], ..Scene::default() });
    let tiny =
        RenderOptions { width: 1, height: 1, shadow_resolution: 0, sky_samples: 0, light_samples: 0, ..options() };
    render(&rich_scene(), &camera(), &tiny).unwrap();
}

#[test]
fn rods_are_lines_and_fluids_have_a_surface_but_for_what_waits_in_its_pipe() {
    let cable = rope(Vec3::ZERO, Vec3::X, 5).expect("a rope");
    let pipe = Emitter { mouth: Vec3::Y, direction: Vec3::NEG_Y, radius: 0.05, speed: 2.0, duration: 0.1 };
    let water = FluidMaterial::default();
    let block = particle_block(Vec3::splat(0.2), water.spacing).expect("a block");
    let builder = Simulation::builder().body(Body::rods(&cable, &RodMaterial::default()).expect("a cable").permeable());
    let builder = builder.body(Body::fluid(&block, &water).expect("water"));
    let builder = builder.body(Body::emitted(&pipe, &water).expect("a jet"));
    let sim = builder.solver(PositionBasedParams::default()).build().expect("a world");
    let scene = Scene::of(&sim);
    assert_eq!((scene.lines.len(), scene.lines[0].segments.len()), (1, 5));
    assert_eq!(scene.points.len(), 0);
    assert_eq!(scene.meshes.len(), 1, "the block's surface; the jet is in its pipe");
    let top = scene.meshes[0].positions.iter().fold(f64::NEG_INFINITY, |top, p| top.max(p.y));
    assert!((top - 0.1).abs() < 0.01, "{top}");
    let legend = Legend { label: String::new(), range: [0.0, 1.0], map: ColorMap::default() };
    let values = vec![0.5; sim.positions().len()];
    let painted = Scene::at(&sim, sim.positions(), Some((&values, legend))).expect("a scene");
    let counts: Vec<usize> = painted.points.iter().map(|points| points.positions.len()).collect();
    assert_eq!(counts, [1000], "balls show values");
}

/// Matter of every kind is in the picture of its simulation, where it is, before it has moved and after.
#[test]
fn matter_of_every_kind_is_seen_where_it_is() {
    for (info, make) in pliant::matter::LIST.iter().flat_map(|info| info.specimens.iter().map(move |make| (info, make)))
    {
        let mut sim = Simulation::builder().body(make().unwrap()).build().unwrap();
        for _ in 0..8 {
            sim.step().unwrap();
        }
        let scene = Scene::of(&sim);
        let seen = scene.extent().bounds();
        // All of a jet may still be in its pipe.
        let is_waiting = |fluid: &pliant::Fluid| !sim.positions().iter().any(|p| fluid.is_out(*p));
        if sim.model().matter_in(0).is_some_and(is_waiting) {
            assert!(seen.is_none(), "{}", info.kind);
            continue;
        }
        let bounds = seen.unwrap_or_else(|| panic!("{} is not seen", info.kind));
        let middle = sim.report().centre_of_mass;
        assert!((bounds.min - 0.2).cmple(middle).all() && middle.cmple(bounds.max + 0.2).all(), "{}", info.kind);
        let camera = Camera::framing(&bounds, Vec3::new(0.3, -0.2, -1.0), options().aspect());
        let image = render(&scene, &camera, &options()).unwrap();
        let count = covered(&image, &camera, &options()).iter().filter(|covered| **covered).count();
        assert!(count > 50, "{}: {count} pixels", info.kind);
    }
}
