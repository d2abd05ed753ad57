//! What the command prints.
//!
//! `println!` panics when nobody reads any more. Here a reader that goes away, such as `head` in `pliant scenes | head`, ends the output
//! and nothing else: the command does the rest of its work in silence, so that the frames of a run are not lost to a closed pager.

use std::fmt;
use std::io::{self, Write};
use std::sync::Mutex;

/// Whether standard output still takes something.
enum Reader {
    Listening,
    Gone,
    /// It could not be written to for another reason, such as a full disk.
    Failed(io::Error),
}

static READER: Mutex<Reader> = Mutex::new(Reader::Listening);

/// Prints a line to standard output, as `println!` does.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}

/// Prints a line to standard error, as `eprintln!` does.
macro_rules! say_error {
    ($($text:tt)*) => { $crate::output::print_error(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {say, say_error};

/// Prints to standard output.
pub(crate) fn print(text: fmt::Arguments<'_>) {
    // In one piece: what is written in pieces may be torn by the other output of the command.
    send(|out| out.write_all(text.to_string().as_bytes()));
}

fn send(write: impl FnOnce(&mut io::StdoutLock<'static>) -> io::Result<()>) {
    let mut reader = READER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Reader::Listening = *reader {
        match write(&mut io::stdout().lock()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => *reader = Reader::Gone,
            Err(error) => *reader = Reader::Failed(error),
        }
    }
}

/// Prints to standard error; if nobody reads that, there is nobody to tell.
pub(crate) fn print_error(text: fmt::Arguments<'_>) {
    let _ = io::stderr().write_all(text.to_string().as_bytes());
}

/// Brings out what is left; fails if something could not be printed although somebody reads.
pub(crate) fn finish() -> Result<(), String> {
    send(Write::flush);
    match &*READER.lock().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Reader::Failed(error) => Err(format!("cannot write to standard output: {error}")),
        Reader::Listening | Reader::Gone => Ok(()),
    }
}
