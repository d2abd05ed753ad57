//! Time for reports. The caller provides the clock, since the engine also runs where there is no system clock.

use std::fmt;
use std::sync::Arc;

/// A monotonic clock in seconds.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> f64 + Send + Sync>);

impl Clock {
    /// Makes a clock from your own function, for example `performance.now() / 1000` in a browser.
    pub fn new(seconds: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(seconds))
    }

    /// Seconds since some fixed moment.
    pub fn now(&self) -> f64 {
        (self.0)()
    }
}

impl Default for Clock {
    /// The system's monotone clock; in a browser a clock that stands still.
    #[cfg(not(target_arch = "wasm32"))]
    fn default() -> Self {
        let start = std::time::Instant::now();
        Self::new(move || start.elapsed().as_secs_f64())
    }

    #[cfg(target_arch = "wasm32")]
    fn default() -> Self {
        Self::new(|| 0.0)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
