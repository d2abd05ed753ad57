//! All tests of files but those that limit memory: one program links once.

mod common;
mod extras;
mod fluids;
mod formats;
mod killed_writer;
mod kinds;
mod matter;
mod python_readers;
mod python_writers;
mod round_trips;
mod shared_data;
mod store;
mod tearing;
