//! All tests of pictures: one program links once.

mod files;
mod pictures;
