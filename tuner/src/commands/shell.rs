//! `completions` and `man`: the command lines of both programs as shells and manuals want them.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command, ValueEnum};
use clap_complete::{Shell, generate};
use nullarbor::cli;
use nullarbor_report::terminal;
use nullarbor_runs::files::FileError;

use super::CommandResult;

/// Print a script that completes commands and options in a shell.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner completions bash > ~/.local/share/bash-completion/completions/nullarbor-tuner
  nullarbor-tuner completions bash nullarbor > ~/.local/share/bash-completion/completions/nullarbor")]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
    /// The program
    #[arg(default_value = "nullarbor-tuner")]
    program: Program,
}

#[derive(Clone, Copy, ValueEnum)]
enum Program {
    #[value(name = "nullarbor-tuner")]
    Tuner,
    #[value(name = "nullarbor")]
    Engine,
}

impl CompletionsArgs {
    /// Prints the script for the command line of the engine, or for that of the tuner.
    ///
    /// # Errors
    /// None.
    pub fn run(&self, tuner: Command) -> CommandResult {
        let mut command = match self.program {
            Program::Tuner => tuner,
            Program::Engine => cli::declaration(),
        };
        let name = command.get_name().to_owned();
        let mut script = Vec::new();
        generate(self.shell, &mut command, name, &mut script);
        terminal::print(&String::from_utf8_lossy(&script));
        Ok(())
    }
}

/// Write a manual page for the engine and for each command of the tuner into a folder.
#[derive(Args)]
#[command(after_long_help = "Example:
  nullarbor-tuner man ~/.local/share/man/man1 && man nullarbor-tuner-match")]
pub struct ManArgs {
    /// The folder; it is created if missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl ManArgs {
    /// Writes the pages for the engine, and for the command line of the tuner.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn run(&self, tuner: Command) -> CommandResult {
        let folder = &self.folder;
        fs::create_dir_all(folder).map_err(FileError::at(folder))?;
        for command in [cli::declaration(), tuner] {
            clap_mangen::generate_to(command, folder).map_err(FileError::at(folder))?;
        }
        Ok(())
    }
}
