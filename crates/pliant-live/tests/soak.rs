//! Somebody plays for a long time: drags, cuts, drops things in, switches solvers, moves sliders and begins anew, at random. Nothing panics, nothing stands still for good, and
//! no memory is lost. `PLIANT_SOAK_SECONDS` is how much time passes in each world; the default is twenty.

#![cfg(feature = "session")]
#![allow(clippy::unwrap_used)]

use peak_alloc::PeakAlloc;
use pliant_live::protocol::{Change, Coloring, Command, Controls, Event, Frame, Layout, Severity, Sight, Thing};
use pliant_live::session::Session;
use pliant_scene::Builtin;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const STEP: f64 = 1.0 / 60.0;
/// Seconds of the world between two new beginnings, at which memory is compared.
const ROUND: f64 = 10.0;

/// Numbers that look random: xorshift.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.roll() * count as f64) as usize
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll()
    }
}

struct Player {
    session: Session,
    now: f64,
    dice: Dice,
    layout: Layout,
    frame: Frame,
    controls: Controls,
    grabbed: Option<[f64; 3]>,
    stopped: Vec<String>,
}

impl Player {
    fn of(scene: &Builtin) -> Self {
        let mut session = Session::new();
        session.handle(Command::Open { name: scene.name.to_owned(), text: scene.text.to_owned() });
        let mut events = session.turn(0.0).events.into_iter();
        let Some(Event::Layout(layout)) = events.next() else { panic!("{} does not open", scene.name) };
        let mut player = Self {
            session,
            now: 0.0,
            dice: Dice(0x2545_F491_4F6C_DD1D),
            layout: *layout,
            frame: Frame::default(),
            controls: Controls::default(),
            grabbed: None,
            stopped: Vec::new(),
        };
        player.hear(events);
        player
    }

    fn hear(&mut self, events: impl Iterator<Item = Event>) {
        for event in events {
            match event {
                Event::Layout(layout) => self.layout = *layout,
                Event::Frame(frame) => {
                    assert!(frame.positions.iter().flatten().all(|c| c.is_finite()), "frame {}", frame.number);
                    self.session.handle(Command::Shown(frame.number));
                    self.frame = *frame;
                }
                Event::Controls(controls) => self.controls = *controls,
                Event::Grabbed { point, .. } => self.grabbed = Some(point),
                Event::Released { .. } => self.grabbed = None,
                Event::Notice(notice) if notice.severity == Severity::Stopped => self.stopped.push(notice.text),
                Event::Notice(_) => {}
            }
        }
    }

    fn turn(&mut self) {
        let turn = self.session.turn(self.now);
        self.now += STEP + 1e-6;
        self.hear(turn.events.into_iter());
    }

    /// A line of sight from somewhere in front of the world through some vertex, or beside it.
    fn sight(&mut self) -> Sight {
        let [low, high] = self.layout.bounds;
        let size = (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt();
        let origin: [f64; 3] = std::array::from_fn(|k| 0.5 * (low[k] + high[k]) + size * self.dice.between(-2.0, 2.0));
        let met = self.frame.positions[self.dice.below(self.frame.positions.len())];
        let direction =
            std::array::from_fn(|k| f64::from(met[k]) - origin[k] + 0.02 * size * self.dice.between(-1.0, 1.0));
        Sight { origin, direction }
    }

    /// Does something, as somebody would who has not read the guide.
    fn act(&mut self) {
        let command = match self.dice.below(12) {
            0..=3 => match self.grabbed {
                Some(point) => {
                    let target = point.map(|c| c + 0.3 * self.dice.between(-1.0, 1.0));
                    Command::Drag { pointer: 0, target }
                }
                None => Command::Grab { pointer: 0, sight: self.sight(), radius: 0.01 },
            },
            4 => {
                self.grabbed = None;
                Command::Release { pointer: 0 }
            }
            5 => Command::Cut { stroke: vec![self.sight(), self.sight(), self.sight()] },
            6 => Command::Drop { thing: Thing::ALL[self.dice.below(4)], sight: self.sight() },
            7 => {
                let kinds = self.controls.solver.as_ref().unwrap().1.clone();
                Command::Change(Change::Solver(kinds[self.dice.below(kinds.len())]))
            }
            8 => Command::Change(Change::Gravity(std::array::from_fn(|_| self.dice.between(-12.0, 12.0)))),
            9 => Command::Change(match self.dice.below(4) {
                0 => Change::Wind(std::array::from_fn(|_| self.dice.between(-8.0, 8.0))),
                1 => Change::Iterations(self.dice.between(1.0, 30.0) as u32),
                2 => Change::Substeps(self.dice.between(1.0, 5.0) as u32),
                _ => Change::Grip(10.0_f64.powf(self.dice.between(-2.0, 1.0))),
            }),
            10 => match self.controls.bodies.first().map(|body| body.name.clone()) {
                Some(body) => {
                    Command::Change(Change::Stiffness { body, factor: 10.0_f64.powf(self.dice.between(-1.5, 1.5)) })
                }
                None => Command::Play(true),
            },
            _ => Command::Color(Coloring::ALL[self.dice.below(3)]),
        };
        self.session.handle(command);
    }

    /// Begins anew, with the sliders where they were at first.
    fn begin_anew(&mut self, scene: &Builtin) {
        self.session.handle(Command::Open { name: scene.name.to_owned(), text: scene.text.to_owned() });
        self.session.handle(Command::Play(true));
        self.grabbed = None;
        self.turn();
    }
}

/// Plays for some seconds of the world; returns memory after each new beginning \[bytes\], and what stopped.
fn play(scene: &Builtin, seconds: f64) -> (Vec<usize>, Vec<String>, u64) {
    let mut player = Player::of(scene);
    let (mut memory, mut steps) = (Vec::new(), 0);
    for _ in 0..(seconds / ROUND).ceil() as usize {
        for turn in 0..(ROUND / STEP) as usize {
            if turn % 7 == 0 {
                player.act();
            }
            // Halfway, somebody begins anew and keeps the sliders.
            if turn == (0.5 * ROUND / STEP) as usize {
                player.session.handle(Command::Reset);
                player.grabbed = None;
            }
            player.turn();
        }
        steps += player.frame.step;
        player.begin_anew(scene);
        assert_eq!(player.frame.step, 0, "{} begins anew", scene.name);
        player.turn();
        player.turn();
        assert!(player.frame.step > 0, "{} goes on after it began anew", scene.name);
        memory.push(MEMORY.current_usage());
    }
    (memory, player.stopped, steps)
}

#[test]
#[ignore = "plays for minutes"]
fn somebody_plays_for_a_long_time_and_nothing_is_lost() {
    let seconds = std::env::var("PLIANT_SOAK_SECONDS").map_or(20.0, |text| text.parse().expect("a number of seconds"));
    assert!(seconds >= 2.0 * ROUND, "memory is compared from one beginning to the next: {seconds} s are too few");
    for name in ["curtain", "jelly-cubes", "rope-bridge", "flag"] {
        let (memory, stopped, steps) = play(&Builtin::find(name).unwrap(), seconds);
        println!("{name}: {steps} steps, memory {memory:?}, {} times stopped: {stopped:?}", stopped.len());
        // The first rounds fill what is kept from step to step.
        let (early, late) = memory.split_at(memory.len() / 2);
        let most = |part: &[usize]| *part.iter().max().unwrap() as f64;
        assert!(most(late) < 1.1 * most(early) + 1e5, "{name} loses memory: {memory:?}");
        // Somebody who pulls hard enough may break a world, which is told; it begins anew and goes on. That is to be rare.
        assert!(stopped.len() as f64 <= 1.0 + 0.02 * seconds, "{name}: {stopped:?}");
    }
}
