//! `pliant completions`: what a shell needs to complete commands and options.

use clap_complete::Shell;

use crate::Outcome;
use crate::output::print;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "Examples:
  pliant completions bash > ~/.local/share/bash-completion/completions/pliant
  pliant completions zsh > ~/.zfunc/_pliant
  pliant completions fish > ~/.config/fish/completions/pliant.fish
  pliant completions powershell >> $PROFILE";

pub(crate) fn run(arguments: &Arguments, mut command: clap::Command) -> Outcome {
    // Into memory: it panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "pliant", &mut script);
    print(format_args!("{}", String::from_utf8_lossy(&script)));
    Outcome::Good
}
