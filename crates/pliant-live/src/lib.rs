//! A live view of simulations, for a window and for a page.
//!
//! There are two sides, which share nothing but messages, so that drawing never waits for a step. The simulation runs in a [`Session`](session::Session): on a thread of
//! its own behind a window, in a worker behind a page. The view draws what it was last told and sends what the user does. [`protocol`] has the messages.
//!
//! ```text
//! scene, stored run → session → Event → app (draw + panels) → pixels
//!                        ↑                  |
//!                        └──── Command ─────┘ mouse, finger, keys, sliders
//! ```

#[cfg(feature = "app")]
pub mod app;
#[cfg(feature = "draw")]
pub mod draw;
pub mod protocol;
#[cfg(feature = "session")]
pub mod session;
#[cfg(feature = "window")]
pub mod window;
