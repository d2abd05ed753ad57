//! What a user does to a world that runs, and what comes of it.

#![cfg(feature = "session")]
#![allow(clippy::unwrap_used)]

use pliant_io::store::{RunInfo, RunStore};
use pliant_live::protocol::{
    Change, Coloring, Command, Controls, Event, Frame, Layout, Notice, Severity, Sight, SolverKind, Thing,
};
use pliant_live::session::Session;
use pliant_scene::{Builtin, Scene};

const STEP: f64 = 1.0 / 60.0;

/// A view that remembers what it was told.
struct Viewer {
    session: Session,
    now: f64,
    layout: Option<Layout>,
    frame: Option<Frame>,
    controls: Controls,
    notices: Vec<Notice>,
    grabbed: Vec<(u64, String, u32, [f64; 3])>,
    released: Vec<u64>,
}

impl Viewer {
    fn new(session: Session) -> Self {
        Self {
            session,
            now: 0.0,
            layout: None,
            frame: None,
            controls: Controls::default(),
            notices: Vec::new(),
            grabbed: Vec::new(),
            released: Vec::new(),
        }
    }

    fn of(name: &str) -> Self {
        let mut viewer = Self::new(Session::new());
        let scene = Builtin::find(name).unwrap();
        viewer.send(Command::Open { name: name.to_owned(), text: scene.text.to_owned() });
        viewer.turn();
        viewer
    }

    fn send(&mut self, command: Command) {
        self.session.handle(command);
    }

    fn change(&mut self, change: Change) {
        self.send(Command::Change(change));
        self.turn();
    }

    /// One turn, a sixtieth of a second later.
    fn turn(&mut self) {
        let turn = self.session.turn(self.now);
        self.now += STEP + 1e-6;
        for event in turn.events {
            match event {
                Event::Layout(layout) => self.layout = Some(*layout),
                Event::Frame(frame) => {
                    assert_eq!(frame.layout, self.layout().number, "a frame comes after its layout");
                    assert_eq!(frame.positions.len(), self.layout().vertices as usize);
                    assert!(frame.positions.iter().flatten().all(|c| c.is_finite()));
                    self.session.handle(Command::Shown(frame.number));
                    self.frame = Some(*frame);
                }
                Event::Controls(controls) => self.controls = *controls,
                Event::Notice(notice) => self.notices.push(notice),
                Event::Grabbed { pointer, body, vertex, point } => self.grabbed.push((pointer, body, vertex, point)),
                Event::Released { pointer } => self.released.push(pointer),
            }
        }
    }

    fn turns(&mut self, count: usize) {
        (0..count).for_each(|_| self.turn());
    }

    fn layout(&self) -> &Layout {
        self.layout.as_ref().unwrap()
    }

    fn frame(&self) -> &Frame {
        self.frame.as_ref().unwrap()
    }

    fn refused(&self) -> &Notice {
        let refused = self.notices.iter().rev().find(|notice| notice.severity == Severity::Refused);
        refused.unwrap_or_else(|| panic!("nothing was refused: {:?}", self.notices))
    }

    /// A line of sight along −z or −y through a point.
    fn down(x: f64, z: f64) -> Sight {
        Sight { origin: [x, 5.0, z], direction: [0.0, -1.0, 0.0] }
    }
}

#[test]
fn a_world_runs_at_the_speed_that_was_asked_for() {
    let mut viewer = Viewer::of("curtain");
    assert!(viewer.layout().is_new && viewer.controls.playing && viewer.controls.is_touchable);
    viewer.turns(30);
    assert!((29..=30).contains(&viewer.frame().step), "{} steps in half a second", viewer.frame().step);
    assert!((viewer.frame().measured.pace.unwrap() - 1.0).abs() < 0.05);
    assert!(viewer.frame().measured.energies.unwrap().kinetic > 0.0);
    viewer.send(Command::Play(false));
    viewer.turn();
    let before = viewer.frame().step;
    viewer.turns(5);
    assert_eq!(viewer.frame().step, before, "it stands still");
    viewer.send(Command::Step);
    viewer.turn();
    assert_eq!(viewer.frame().step, before + 1);
    viewer.send(Command::Reset);
    viewer.turn();
    assert_eq!((viewer.frame().step, viewer.frame().time), (0, 0.0));
}

#[test]
fn what_a_finger_holds_follows_it() {
    let mut viewer = Viewer::of("curtain");
    viewer.send(Command::Grab { pointer: 3, sight: Viewer::down(0.2, 0.3), radius: 0.0 });
    viewer.turn();
    let (pointer, body, vertex, point) = viewer.grabbed[0].clone();
    assert_eq!((pointer, body.as_str()), (3, "curtain"));
    let target = [point[0] + 0.1, point[1] + 0.15, point[2]];
    viewer.send(Command::Drag { pointer: 3, target });
    viewer.turns(120);
    let x = viewer.frame().positions[vertex as usize];
    let miss = (0..3).map(|k| (f64::from(x[k]) - target[k]).powi(2)).sum::<f64>().sqrt();
    assert!(miss < 0.02, "it is {miss} m away");
    viewer.send(Command::Release { pointer: 3 });
    viewer.turns(30);
    assert!(f64::from(viewer.frame().positions[vertex as usize][1]) < target[1] - 0.1, "it falls when it is let go");
    viewer.send(Command::Grab { pointer: 4, sight: Viewer::down(9.0, 9.0), radius: 0.0 });
    viewer.turn();
    assert_eq!(viewer.released, [4], "there is nothing there");
    viewer.send(Command::Grab { pointer: 4, sight: Sight { origin: [f64::NAN; 3], direction: [0.0; 3] }, radius: 0.0 });
    viewer.turn();
    assert!(viewer.refused().text.contains("NaN"), "{:?}", viewer.refused());
}

#[test]
fn a_stroke_parts_the_cloth() {
    let mut viewer = Viewer::of("curtain");
    let before = viewer.layout().vertices;
    let stroke = (0..=8).map(|k| Viewer::down(-0.8 + 0.2 * f64::from(k), 0.1)).collect();
    viewer.send(Command::Cut { stroke });
    viewer.turns(40);
    assert!(viewer.layout().vertices > before && !viewer.layout().is_new, "{:?}", viewer.notices);
    // The part that nothing holds falls.
    let lowest = viewer.frame().positions.iter().map(|p| p[1]).fold(f32::INFINITY, f32::min);
    assert!(lowest < -1.5, "the lowest vertex is at {lowest}");
    assert!(viewer.controls.bodies.iter().all(|body| body.stiffness.is_none()), "a cut world has no other material");
    viewer.send(Command::Drop { thing: Thing::Ball, sight: Viewer::down(0.0, 0.0) });
    viewer.turn();
    assert!(viewer.refused().text.contains("torn or cut"), "{:?}", viewer.refused());
    viewer.send(Command::Cut { stroke: vec![Viewer::down(9.0, 9.0), Viewer::down(9.5, 9.0)] });
    viewer.turn();
    assert!(viewer.refused().text.contains("meets nothing"), "{:?}", viewer.refused());
    viewer.send(Command::Reset);
    viewer.turn();
    assert_eq!(viewer.layout().vertices, before);
}

#[test]
fn a_stroke_may_begin_and_end_beside_the_cloth() {
    let mut viewer = Viewer::of("curtain");
    let before = viewer.layout().vertices;
    viewer.send(Command::Cut { stroke: vec![Viewer::down(-3.0, 0.1), Viewer::down(3.0, 0.1)] });
    viewer.turns(40);
    assert!(viewer.layout().vertices > before, "{:?}", viewer.notices);
}

#[test]
fn things_drop_in_and_stay_until_the_scene_begins_anew() {
    let mut viewer = Viewer::of("cloth-on-spheres");
    let (bodies, vertices) = (viewer.layout().bodies.len(), viewer.layout().vertices);
    for thing in Thing::ALL {
        viewer.send(Command::Drop { thing, sight: Viewer::down(0.0, 0.0) });
        viewer.turns(2);
        assert_eq!(viewer.notices, [], "{thing:?}");
    }
    assert_eq!(viewer.layout().bodies.len(), bodies + 4);
    assert!(viewer.layout().vertices > vertices);
    viewer.send(Command::Drop { thing: Thing::Ball, sight: Viewer::down(0.0, 0.0) });
    viewer.turn();
    assert!(viewer.layout().bodies.iter().any(|body| body.name == "ball 2"));
    viewer.send(Command::Reset);
    viewer.turn();
    assert_eq!((viewer.layout().bodies.len(), viewer.layout().vertices), (bodies, vertices));
}

#[test]
fn sliders_act_and_survive_a_reset() {
    let mut viewer = Viewer::of("curtain");
    let (_, suited) = viewer.controls.solver.clone().unwrap();
    assert!(suited.contains(&SolverKind::Projective) && suited.contains(&SolverKind::Newton), "{suited:?}");
    viewer.change(Change::Solver(SolverKind::PositionBased));
    assert_eq!(viewer.controls.solver.as_ref().unwrap().0, SolverKind::PositionBased);
    assert!(viewer.controls.solver_text.contains("osition"), "{}", viewer.controls.solver_text);
    viewer.change(Change::Iterations(7));
    assert_eq!(viewer.controls.iterations, Some(7));
    viewer.change(Change::Substeps(3));
    viewer.change(Change::Gravity([0.0, 2.0, 0.0]));
    viewer.change(Change::Wind([1.0, 0.0, 0.0]));
    viewer.change(Change::Stiffness { body: "curtain".to_owned(), factor: 0.5 });
    viewer.send(Command::Reset);
    viewer.turns(20);
    assert_eq!(viewer.notices, []);
    let controls = &viewer.controls;
    assert_eq!((controls.iterations, controls.substeps, controls.gravity), (Some(7), 3, [0.0, 2.0, 0.0]));
    assert_eq!((controls.wind, controls.bodies[0].stiffness), (Some([1.0, 0.0, 0.0]), Some(0.5)));
    let highest = viewer.frame().positions.iter().map(|p| p[1]).fold(f32::NEG_INFINITY, f32::max);
    assert!(highest > 0.01, "it rises to {highest}");
}

#[test]
fn what_cannot_be_set_is_refused_with_the_engines_words_and_changes_nothing() {
    let mut viewer = Viewer::of("curtain");
    let before = viewer.controls.clone();
    let bad = [
        (Change::Gravity([f64::NAN, 0.0, 0.0]), "NaN"),
        (Change::Wind([0.0, f64::INFINITY, 0.0]), "inf"),
        (Change::Substeps(0), "substeps"),
        (Change::Stiffness { body: "curtain".to_owned(), factor: 0.0 }, "positive"),
        (Change::Stiffness { body: "nobody".to_owned(), factor: 2.0 }, "nobody"),
        (Change::Grip(-1.0), "grip"),
    ];
    for (change, word) in bad {
        viewer.change(change);
        assert!(viewer.refused().text.contains(word), "{:?}", viewer.refused());
        assert_eq!(viewer.controls, before);
    }
    viewer.send(Command::Speed(0.0));
    viewer.send(Command::Seek(4));
    viewer.turn();
    assert!(viewer.refused().text.contains("stored"), "{:?}", viewer.refused());
}

#[test]
fn a_broken_scene_is_told_with_its_place_and_what_runs_goes_on() {
    let mut viewer = Viewer::of("curtain");
    let text = "[[body]]\nname = \"a\"\nshape.sheet = { width = 1, height = 1, columns = 4, rows = 4 }\nmaterial.cloth = { preset = \"silkk\" }\n";
    viewer.send(Command::Open { name: "mine.toml".to_owned(), text: text.to_owned() });
    viewer.turns(3);
    assert_eq!(viewer.refused().place.map(|(line, _)| line), Some(4));
    assert_eq!(viewer.layout().name, "curtain");
    assert!(viewer.frame().step >= 2, "it goes on");
    let mut small = Viewer::new(Session::new().with_most_vertices(100));
    small.send(Command::Open { name: "curtain".to_owned(), text: Builtin::find("curtain").unwrap().text.to_owned() });
    small.turn();
    assert!(small.layout.is_none() && small.refused().text.contains("100"), "{:?}", small.notices);
}

#[test]
fn frames_wait_for_a_view_that_is_slow() {
    let mut session = Session::new();
    session.open(Builtin::find("curtain").unwrap().scene(&[]).unwrap()).unwrap();
    let frames = |events: &[Event]| events.iter().filter(|event| matches!(event, Event::Frame(_))).count();
    let sent: usize = (0..20).map(|k| frames(&session.turn(f64::from(k) * 1.01 * STEP).events)).sum();
    assert_eq!(sent, 2, "one is drawn and one waits");
    session.handle(Command::Shown(2));
    let events = session.turn(21.0 * 1.01 * STEP).events;
    let Some(Event::Frame(frame)) = events.iter().find(|event| matches!(event, Event::Frame(_))) else {
        panic!("a frame is due: {events:?}");
    };
    assert!(frame.step >= 19, "what was skipped is not sent later");
}

#[test]
fn colours_show_strain_and_speed() {
    for (coloring, least) in [(Coloring::Strain, 0.1), (Coloring::Speed, 0.5)] {
        let mut viewer = Viewer::of("jelly-cubes");
        viewer.send(Command::Color(coloring));
        viewer.turns(30);
        let frame = viewer.frame();
        assert_eq!(frame.values.len(), frame.positions.len());
        assert!(frame.most >= least, "{coloring:?} ends at {}", frame.most);
    }
}

#[test]
fn a_fluid_has_a_surface_and_colliders_have_places() {
    let mut viewer = Viewer::of("dam-break");
    viewer.turns(2);
    let fluid = viewer.layout().bodies.iter().position(|body| body.is_fluid).unwrap();
    assert!(!viewer.frame().liquids[0].triangles.is_empty());
    assert_eq!(viewer.frame().liquids[0].body as usize, fluid);
    assert_eq!(viewer.frame().colliders.len(), viewer.layout().colliders.len());
}

#[test]
fn a_stored_run_is_played_and_sought() {
    let dir = std::env::temp_dir().join(format!("pliant-live-run-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    let scene = Builtin::find("curtain").unwrap().scene(&[]).unwrap();
    let mut run = scene.build().unwrap();
    let mut store = RunStore::create(&dir, run.topology(), &RunInfo::default()).unwrap();
    store.write_frame(0, &run.stored_frame()).unwrap();
    for number in 1..=12 {
        run.next_frame().unwrap();
        store.write_frame(number, &run.stored_frame()).unwrap();
    }
    drop(store);
    let origin = |scene: &Scene| Some((scene.clone(), scene.build().unwrap()));
    let mut viewer = Viewer::new(Session::new());
    viewer.session.open_run(RunStore::open(&dir).unwrap(), origin(&scene)).unwrap();
    viewer.turn();
    let timeline = viewer.layout().timeline.clone().unwrap();
    assert_eq!(timeline.frames, (0..=12).collect::<Vec<u64>>());
    assert!(!viewer.controls.is_touchable && viewer.controls.playing);
    viewer.send(Command::Seek(7));
    viewer.send(Command::Play(false));
    viewer.turns(2);
    assert_eq!(viewer.frame().step, 7);
    let stored = RunStore::open(&dir).unwrap().read_frame(7).unwrap();
    assert_eq!(viewer.frame().positions[312], stored.positions[312].as_vec3().to_array());
    viewer.send(Command::Play(true));
    viewer.turns(10);
    assert_eq!((viewer.frame().step, viewer.controls.playing), (12, false), "it ends there");
    viewer.send(Command::Play(true));
    viewer.turns(3);
    assert!(viewer.frame().step < 4, "it begins again");
    viewer.send(Command::Cut { stroke: Vec::new() });
    viewer.turn();
    assert!(viewer.refused().text.contains("stored run"), "{:?}", viewer.refused());
    std::fs::remove_dir_all(dir).unwrap();
}
