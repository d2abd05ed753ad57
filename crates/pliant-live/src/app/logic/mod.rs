//! What the view does, without a window: everything here is plain data in, plain data out.

mod film;
mod gesture;
mod keys;
mod notices;
mod orbit;
mod player;
mod series;
mod speed;
mod stroke;

pub(crate) use film::FilmPlan;
pub(crate) use gesture::{Action, Button, Gestures, Press, Tool};
pub(crate) use keys::{HELP, KeyAction, action_of};
pub(crate) use notices::Notices;
pub(crate) use orbit::{orbited, panned, zoomed};
pub(crate) use player::Player;
pub(crate) use series::Series;
pub(crate) use speed::{Rate, Slowness, faster, lag, slower};
