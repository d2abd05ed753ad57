//! A window of this machine.
