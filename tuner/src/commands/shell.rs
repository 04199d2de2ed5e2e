//! `completions` and `man`: the command line as shells and manuals want it.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::{Shell, generate};
use nullarbor_runs::files::FileError;

use super::CommandResult;

/// Print a script that completes commands and options in a shell.
#[derive(Args)]
#[command(after_long_help = "Example:
  nullarbor-tuner completions bash > ~/.local/share/bash-completion/completions/nullarbor-tuner")]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

impl CompletionsArgs {
    /// Prints the script for a command line.
    ///
    /// # Errors
    /// None.
    pub fn run(&self, mut command: Command) -> CommandResult {
        let name = command.get_name().to_owned();
        generate(self.shell, &mut command, name, &mut std::io::stdout().lock());
        Ok(())
    }
}

/// Write a manual page for each command into a folder.
#[derive(Args)]
#[command(after_long_help = "Example:
  nullarbor-tuner man ~/.local/share/man/man1; man nullarbor-tuner-match")]
pub struct ManArgs {
    /// The folder; it is created if missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl ManArgs {
    /// Writes the pages for a command line.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn run(&self, command: Command) -> CommandResult {
        let folder = &self.folder;
        fs::create_dir_all(folder).map_err(FileError::at(folder))?;
        Ok(clap_mangen::generate_to(command, folder).map_err(FileError::at(folder))?)
    }
}
