//! Pictures and films.

use eframe::egui;

use super::logic::FilmPlan;
use super::pane::Pane;
use super::{Film, Options};
use crate::draw::{Camera, Pixels, Reading};
use crate::protocol::{Command, Notice, Severity};

/// Size of films in pixels; encoders want even numbers.
const FILM_SIZE: [u32; 2] = [1280, 720];

/// Pictures that are on their way from the GPU.
#[derive(Default)]
pub(crate) struct Saving {
    picture: Option<(usize, Reading)>,
    film: Option<Shooting>,
}

/// A film that is being made.
struct Shooting {
    pane: usize,
    plan: FilmPlan,
    camera: Camera,
    reading: Option<Reading>,
    /// The frame that was asked for.
    asked: Option<u64>,
}

fn told(pane: &mut Pane, time: f64, result: Result<String, String>) {
    let (severity, text) = match result {
        Ok(text) => (Severity::Info, text),
        Err(text) => (Severity::Refused, text),
    };
    pane.notices.add(Notice { severity, text, place: None, hint: None }, time);
}

impl Saving {
    /// Saves what is seen now.
    pub(crate) fn picture(&mut self, context: &egui::Context, panes: &mut [Pane], number: usize, camera: &Camera) {
        if let Some(pane) = panes.get_mut(number).filter(|_| self.picture.is_none()) {
            let size = pane.canvas.size();
            let context = context.clone();
            self.picture = Some((number, pane.canvas.read(camera, size, move || context.request_repaint())));
        }
    }

    /// Begins a film of a stored run.
    pub(crate) fn shoot(&mut self, panes: &mut [Pane], number: usize, camera: &Camera, film: &mut dyn Film, time: f64) {
        let Some(pane) = panes.get_mut(number).filter(|_| self.film.is_none()) else { return };
        let timeline = pane.layout.as_ref().and_then(|layout| layout.timeline.clone());
        let Some((plan, rate)) = timeline.and_then(|own| Some((FilmPlan::new(&own.frames)?, own.rate))) else { return };
        match film.begin(FILM_SIZE[0], FILM_SIZE[1], plan.len(), rate) {
            Ok(()) => {
                pane.send(Command::Play(false));
                self.film = Some(Shooting { pane: number, plan, camera: *camera, reading: None, asked: None });
            }
            Err(error) => told(pane, time, Err(error)),
        }
    }

    /// Share of the film that is done; none: there is none.
    pub(crate) fn progress(&self) -> Option<f32> {
        self.film.as_ref().map(|film| film.plan.progress())
    }

    /// Gives up the film.
    pub(crate) fn cancel(&mut self, panes: &mut [Pane], film: &mut dyn Film, time: f64) {
        if let Some(shooting) = self.film.take() {
            let result = film.end(false);
            told(&mut panes[shooting.pane], time, result);
        }
    }

    /// Takes the pixels that have come, and asks for the next.
    pub(crate) fn go_on(&mut self, context: &egui::Context, panes: &mut [Pane], options: &mut Options, time: f64) {
        self.take_picture(panes, options, time);
        if let (Some(shooting), Some(film)) = (&mut self.film, &mut options.film) {
            let pane = &mut panes[shooting.pane];
            let outcome = shooting.go_on(context, pane, film.as_mut());
            match outcome {
                Ok(false) => {}
                Ok(true) => {
                    self.film = None;
                    told(pane, time, film.end(true));
                }
                Err(error) => {
                    self.film = None;
                    // What is wrong is told already; that the rest was given up follows from it.
                    let _ = film.end(false);
                    told(pane, time, Err(error));
                }
            }
        }
        if (self.picture.is_some() || self.film.is_some())
            && let Some(pane) = panes.first()
        {
            pane.canvas.poll();
            context.request_repaint();
        }
    }

    fn take_picture(&mut self, panes: &mut [Pane], options: &mut Options, time: f64) {
        let Some((number, reading)) = &self.picture else { return };
        let result = match reading.take() {
            Pixels::Waiting => return,
            Pixels::Lost => Err("the picture was lost by the graphics device".to_owned()),
            Pixels::Here { width, height, rgba } => match &mut options.save_picture {
                Some(save) => save(width, height, &rgba),
                None => Err("pictures cannot be saved here".to_owned()),
            },
        };
        told(&mut panes[*number], time, result);
        self.picture = None;
    }
}

impl Shooting {
    /// Returns whether all is done.
    fn go_on(&mut self, context: &egui::Context, pane: &mut Pane, film: &mut dyn Film) -> Result<bool, String> {
        if let Some(reading) = &self.reading {
            match reading.take() {
                Pixels::Waiting => return Ok(false),
                Pixels::Lost => return Err("the film was lost by the graphics device".to_owned()),
                Pixels::Here { rgba, .. } => {
                    film.frame(&rgba)?;
                    self.reading = None;
                    self.plan.advance();
                }
            }
        }
        let Some(next) = self.plan.next() else { return Ok(true) };
        if pane.frame.as_ref().is_some_and(|frame| frame.step == next) {
            let context = context.clone();
            self.reading = Some(pane.canvas.read(&self.camera, FILM_SIZE, move || context.request_repaint()));
        } else if self.asked != Some(next) {
            self.asked = Some(next);
            pane.send(Command::Seek(next));
        }
        Ok(false)
    }
}
