//! Pictures of small worlds on whatever graphics device there is, software included; without one, these tests say so and pass. With `PLIANT_PICTURES=folder` the pictures are saved there.
#![cfg(feature = "app")]

use glam::{DVec2, DVec3};
use pliant_live::draw::{Camera, FORMAT, Pixels, Renderer, Target, best_samples};
use pliant_live::protocol::{BodyLayout, ColliderLayout, Frame, Ground, Layout, LiquidSurface, Pose, Viewpoint};

const SIZE: [u32; 2] = [720, 450];

/// A device to draw with.
struct Device {
    adapter: wgpu::Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

fn device() -> Option<Device> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    let Ok(adapter) = adapter else {
        println!("skipped: there is no graphics device, not even a software one");
        return None;
    };
    // No more than WebGL 2 has.
    let descriptor = wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits::downlevel_webgl2_defaults().using_resolution(adapter.limits()),
        ..wgpu::DeviceDescriptor::default()
    };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).expect("the device opens");
    Some(Device { adapter, device, queue })
}

struct Picture {
    width: u32,
    rgba: Vec<u8>,
}

impl Picture {
    fn at(&self, place: DVec2) -> [i32; 3] {
        let index = 4 * (place.y as usize * self.width as usize + place.x as usize);
        [0, 1, 2].map(|k| i32::from(self.rgba[index + k]))
    }
}

impl Device {
    fn draw(&self, renderer: &mut Renderer, camera: &Camera, name: &str) -> Picture {
        let target = Target::new(&self.device, SIZE, best_samples(&self.adapter, FORMAT));
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        target.draw(&self.queue, &mut encoder, renderer, camera);
        let mut reading = target.read(&self.device, &mut encoder);
        self.queue.submit([encoder.finish()]);
        reading.begin(|| {});
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device works");
        let Pixels::Here { width, height, rgba } = reading.take() else { panic!("no pixels of {name}") };
        if let Some(folder) = std::env::var_os("PLIANT_PICTURES") {
            let file = std::fs::File::create(std::path::Path::new(&folder).join(format!("{name}.png")));
            let mut encoder = png::Encoder::new(file.expect("the folder is there"), width, height);
            encoder.set_color(png::ColorType::Rgba);
            let mut writer = encoder.write_header().expect("a header is written");
            writer.write_image_data(&rgba).expect("pixels are written");
        }
        assert!(rgba.iter().skip(3).step_by(4).all(|&alpha| alpha == 255), "{name} is not opaque");
        Picture { width, rgba }
    }

    fn renderer(&self) -> Renderer {
        Renderer::new(&self.device, FORMAT, best_samples(&self.adapter, FORMAT))
    }
}

fn body(name: &str, color: [u8; 3]) -> BodyLayout {
    let back = color.map(|channel| 120 + channel / 3);
    BodyLayout {
        name: name.to_owned(),
        color: [color, back],
        triangles: Vec::new(),
        segments: Vec::new(),
        points: Vec::new(),
        radius: 0.01,
        is_fluid: false,
    }
}

/// A world that grows by bodies.
struct World {
    layout: Layout,
    frame: Frame,
}

impl World {
    fn new() -> Self {
        let layout = Layout {
            name: "test".to_owned(),
            number: 1,
            is_new: true,
            vertices: 0,
            bodies: Vec::new(),
            colliders: Vec::new(),
            ground: Ground { height: 0.0, color: [0xdf, 0xe2, 0xe6], spacing: 0.2 },
            bounds: [[-1.0, 0.0, -0.7], [1.0, 1.0, 0.7]],
            viewpoint: Viewpoint {
                eye: None,
                target: [0.0; 3],
                direction: [-0.25, -0.45, -1.0],
                up: [0.0, 1.0, 0.0],
                field_of_view: 0.61,
            },
            timeline: None,
        };
        Self { layout, frame: Frame { layout: 1, ..Frame::default() } }
    }

    fn camera(&self) -> Camera {
        Camera::of(&self.layout.viewpoint, self.layout.bounds, 1.6)
    }

    fn add(&mut self, body: BodyLayout, positions: impl IntoIterator<Item = [f32; 3]>) {
        let first = self.frame.positions.len() as u32;
        self.frame.positions.extend(positions);
        self.layout.vertices = self.frame.positions.len() as u32;
        self.layout.bodies.push(BodyLayout {
            triangles: body.triangles.iter().map(|t| t.map(|v| v + first)).collect(),
            segments: body.segments.iter().map(|s| s.map(|v| v + first)).collect(),
            points: body.points.iter().map(|v| v + first).collect(),
            ..body
        });
    }

    fn renderer(&self, device: &Device) -> Renderer {
        let mut renderer = device.renderer();
        renderer.set_layout(&self.layout);
        assert!(renderer.set_frame(&self.frame));
        renderer
    }
}

/// Triangles of a grid of vertices.
fn grid(columns: u32, rows: u32) -> Vec<[u32; 3]> {
    let cells = (0..rows - 1).flat_map(|j| (0..columns - 1).map(move |i| j * columns + i));
    cells.flat_map(|v| [[v, v + columns, v + 1], [v + 1, v + columns, v + columns + 1]]).collect()
}

fn sphere(radius: f32, middle: [f32; 3]) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let (around, rings) = (40u32, 20u32);
    let at = |i: u32, j: u32| {
        let (a, b) =
            (i as f32 / around as f32 * std::f32::consts::TAU, j as f32 / (rings - 1) as f32 * std::f32::consts::PI);
        [middle[0] + radius * b.sin() * a.cos(), middle[1] + radius * b.cos(), middle[2] - radius * b.sin() * a.sin()]
    };
    let positions = (0..rings).flat_map(|j| (0..=around).map(move |i| at(i, j))).collect();
    (positions, grid(around + 1, rings))
}

fn cube(half: f32, middle: [f32; 3]) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let corner = |k: usize| std::array::from_fn(|axis| middle[axis] + if k >> axis & 1 == 0 { -half } else { half });
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

/// A cloth over a ball, a cube, a rope, small balls, a drop.
fn still_life() -> World {
    let mut world = World::new();
    let (columns, rows) = (60, 60);
    let cloth = (0..rows).flat_map(|j| {
        (0..columns).map(move |i| {
            let (x, z) = (0.016 * i as f32 - 0.47, 0.016 * j as f32 - 0.47);
            let away = (x * x + z * z).sqrt();
            let fold = 0.05 * (6.0 * z.atan2(x)).sin() * (away / 0.3).min(1.3).powi(2);
            let top = 0.56 - 1.1 * (away - 0.1f32).max(0.0).powf(1.3);
            [0.8 * x - 0.45 + fold * x, top.max(0.02) + 0.4 * fold * away, 0.8 * z + fold * z]
        })
    });
    world.add(BodyLayout { triangles: grid(columns, rows), ..body("cloth", [0xd9, 0xa4, 0x2e]) }, cloth);
    let (positions, triangles) = cube(0.14, [0.25, 0.14, -0.2]);
    world.add(BodyLayout { triangles, ..body("cube", [0x3f, 0x9b, 0x76]) }, positions);
    let rope: Vec<[f32; 3]> = (0..160)
        .map(|k| {
            let (t, turn) = (k as f32 / 159.0, k as f32 * 0.12);
            let radius = 0.1 + 0.12 * t;
            [0.35 + radius * turn.cos(), 0.016 + 0.5 * (t - 0.75f32).max(0.0), 0.35 + radius * turn.sin()]
        })
        .collect();
    let segments = (0..159).map(|k| [k, k + 1]).collect();
    world.add(BodyLayout { segments, radius: 0.015, ..body("rope", [0xc8, 0x45, 0x5a]) }, rope);
    let balls: Vec<[f32; 3]> = (0..60)
        .map(|k: i32| {
            let (i, j, l) = (k % 5, k / 5 % 4, k / 20);
            [0.6 + 0.062 * i as f32 + 0.03 * (l % 2) as f32, 0.032 + 0.055 * l as f32, -0.1 + 0.062 * j as f32]
        })
        .collect();
    let points = (0..60).collect();
    world.add(BodyLayout { points, radius: 0.032, ..body("balls", [0x7a, 0x5f, 0xae]) }, balls);
    world.add(BodyLayout { is_fluid: true, ..body("drop", [0x2f, 0x6f, 0xb5]) }, []);
    let (positions, triangles) = sphere(0.1, [0.05, 0.75, 0.1]);
    world.frame.liquids.push(LiquidSurface { body: 4, positions, triangles });
    let (positions, triangles) = sphere(0.2, [0.0; 3]);
    let collider = ColliderLayout { color: [0xa3, 0xa8, 0xb0], positions, triangles, is_plane: false };
    world.layout.colliders.push(collider);
    world.frame.colliders.push(Pose { position: [-0.45, 0.34, 0.0], rotation: [0.0, 0.0, 0.0, 1.0] });
    world
}

#[test]
fn a_still_life_has_its_colours() {
    let Some(device) = device() else { return };
    let world = still_life();
    let camera = world.camera();
    let picture = device.draw(&mut world.renderer(&device), &camera, "still-life");
    let size = DVec2::from(SIZE.map(f64::from));
    let seen = |point: [f64; 3]| picture.at(camera.project(DVec3::from(point), size).expect("seen"));
    let cloth = seen([-0.45, 0.56, 0.05]);
    assert!(cloth[0] > cloth[1] && cloth[1] > cloth[2] + 40, "cloth {cloth:?}");
    let cube = seen([0.25, 0.28, -0.2]);
    assert!(cube[1] > cube[0] + 20 && cube[1] > cube[2], "cube {cube:?}");
    let drop = seen([0.05, 0.75, 0.2]);
    assert!(drop[2] > drop[0] + 40, "drop {drop:?}");
    let ground = seen([-0.1, 0.0, 0.65]);
    assert!(ground.iter().all(|&channel| channel > 190), "ground {ground:?}");
    // The middle of the shadow of the drop, which the lamp at the upper left in front throws to the right and back.
    let shadow = seen([0.05 + 0.55 * 0.75, 0.0, 0.1 - 0.55 * 0.75]);
    assert!(shadow[0] + 25 < ground[0], "shadow {shadow:?} on ground {ground:?}");
    let sky = picture.at(DVec2::new(20.0, 5.0));
    assert!(sky[2] >= sky[0] && sky[0] > 200, "sky {sky:?}");
    let near = Camera { eye: DVec3::new(-0.1, 0.5, 1.2), target: DVec3::new(-0.3, 0.3, 0.0), ..camera };
    device.draw(&mut world.renderer(&device), &near, "cloth");
    let low = Camera { eye: DVec3::new(1.2, 0.25, 1.0), target: DVec3::new(0.45, 0.1, 0.1), ..camera };
    device.draw(&mut world.renderer(&device), &low, "balls");
}

#[test]
fn cloth_in_the_light_has_no_stripes() {
    let Some(device) = device() else { return };
    let mut world = World::new();
    let (columns, rows) = (40, 40);
    let sheet = (0..rows).flat_map(|j| {
        (0..columns).map(move |i| [0.03 * i as f32 - 0.6, 0.3 + 0.4 * (j as f32 / 39.0), 0.5 - 0.02 * j as f32])
    });
    world.add(BodyLayout { triangles: grid(columns, rows), ..body("sheet", [0x7a, 0x5f, 0xae]) }, sheet);
    let camera = world.camera();
    let picture = device.draw(&mut world.renderer(&device), &camera, "slope");
    let size = DVec2::from(SIZE.map(f64::from));
    let mut brightness = Vec::new();
    for i in 4..36 {
        for j in 4..36 {
            let point = [0.03 * f64::from(i) - 0.6, 0.3 + 0.4 * f64::from(j) / 39.0, 0.5 - 0.02 * f64::from(j)];
            brightness.push(picture.at(camera.project(DVec3::from(point), size).expect("seen"))[2]);
        }
    }
    let (least, most) = (brightness.iter().min().copied(), brightness.iter().max().copied());
    assert!(most.zip(least).is_some_and(|(most, least)| most - least < 16), "from {least:?} to {most:?}");
}

#[test]
fn values_have_colours_and_holes_do_no_harm() {
    let Some(device) = device() else { return };
    let mut world = still_life();
    let count = world.frame.positions.len();
    world.frame.values = (0..count).map(|v| v as f32 / count as f32).collect();
    world.frame.most = 0.5;
    world.frame.values[7] = f32::NAN;
    world.frame.positions[130] = [f32::NAN; 3];
    world.frame.positions[131] = [f32::INFINITY, 0.0, 0.0];
    world.frame.positions[3700] = [f32::NAN; 3];
    world.frame.colliders[0].rotation = [0.0; 4];
    let camera = world.camera();
    let mut renderer = world.renderer(&device);
    let picture = device.draw(&mut renderer, &camera, "values");
    let size = DVec2::from(SIZE.map(f64::from));
    let ball = picture.at(camera.project(DVec3::new(0.7, 0.17, 0.0), size).expect("seen"));
    assert!(ball[0] > ball[2] + 40 && ball[1] > ball[2] + 40, "the largest values are yellow: {ball:?}");
    // All positions lost, and then a world without anything.
    world.frame.positions.iter_mut().for_each(|position| *position = [f32::NAN; 3]);
    assert!(renderer.set_frame(&world.frame));
    device.draw(&mut renderer, &camera, "lost");
    let empty = World::new();
    renderer.set_layout(&empty.layout);
    device.draw(&mut renderer, &camera, "before-the-first-frame");
    assert!(renderer.set_frame(&empty.frame));
    device.draw(&mut renderer, &camera, "empty");
    let strange = Camera { eye: DVec3::ZERO, target: DVec3::ZERO, ..camera };
    device.draw(&mut renderer, &strange, "strange");
}

#[test]
fn frames_of_another_layout_are_ignored() {
    let Some(device) = device() else { return };
    let world = still_life();
    let mut renderer = world.renderer(&device);
    assert!(!renderer.set_frame(&Frame { layout: 2, ..world.frame.clone() }));
    let mut short = world.frame.clone();
    short.positions.pop();
    assert!(!renderer.set_frame(&short));
    renderer.set_layout(&Layout { number: 2, ..world.layout.clone() });
    assert!(!renderer.set_frame(&world.frame));
    assert!(renderer.set_frame(&Frame { layout: 2, ..world.frame.clone() }));
}

#[test]
fn an_inclined_plane_is_seen_from_the_front_only() {
    let Some(device) = device() else { return };
    let mut world = World::new();
    let (positions, triangles) = cube(0.1, [0.0, 0.5, 0.0]);
    world.add(BodyLayout { triangles, ..body("cube", [0xe2, 0x6d, 0x3d]) }, positions);
    world.layout.colliders.push(ColliderLayout {
        color: [0xa3, 0xa8, 0xb0],
        positions: vec![[-0.6, 0.1, 0.4], [0.6, 0.1, 0.4], [0.6, 0.5, -0.4], [-0.6, 0.5, -0.4]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        is_plane: true,
    });
    world.frame.colliders.push(Pose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] });
    let front = world.camera();
    let size = DVec2::from(SIZE.map(f64::from));
    let point = DVec3::new(0.3, 0.2, 0.2);
    let picture = device.draw(&mut world.renderer(&device), &front, "plane");
    let found = picture.at(front.project(point, size).expect("seen"));
    assert!(found.iter().all(|&channel| channel < 205), "plane {found:?}");
    let behind = Camera { eye: DVec3::new(0.0, 0.05, -3.0), target: DVec3::new(0.0, 0.3, 0.0), ..front };
    let picture = device.draw(&mut world.renderer(&device), &behind, "plane-from-behind");
    let cube = picture.at(behind.project(DVec3::new(0.0, 0.5, -0.1), size).expect("seen"));
    assert!(cube[0] > cube[2] + 40, "the cube is seen through the back of the plane: {cube:?}");
}
