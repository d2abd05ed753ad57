//! All tests of the command: one program links once.

mod command;
mod common;
mod folders;
mod full_disk;
mod gallery;
mod gpu;
mod killed;
mod pictures;
mod render;
mod reproduce;
mod train;
mod window;
mod words;
