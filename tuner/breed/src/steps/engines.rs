//! Engines with networks that this build cannot load.

use std::path::Path;
use std::process::Command;

use nullarbor_games::uci;
use nullarbor_report::terminal;
use nullarbor_train::trainer::Shape;

use super::Work;
use crate::error::Error;
use crate::event::NetworkId;
use crate::folder::create_parent;

/// Returns whether this build can load a network.
pub(super) fn runs_here(network: &NetworkId) -> bool {
    network.shape == Shape::BUILT
}

impl Work<'_> {
    /// Returns the command of an engine with a network, which is built unless it was before.
    pub(super) fn engine(
        &self,
        network: &Path,
        id: &NetworkId,
        hash: usize,
    ) -> Result<uci::Command, Error> {
        let exe = self.folder.engine(&id.fingerprint);
        if !exe.is_file() {
            self.build(network, &exe)?;
        }
        Ok(uci::Command {
            program: exe,
            options: vec![("Hash".to_owned(), hash.to_string())],
            ..uci::Command::default()
        })
    }

    fn build(&self, network: &Path, exe: &Path) -> Result<(), Error> {
        create_parent(exe)?;
        // A build that is interrupted leaves no engine under its name.
        let unfinished = exe.with_extension("unfinished");
        let absolute = |path: &Path| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            path.display().to_string()
        };
        let (net, out) = (absolute(network), absolute(&unfinished));
        let words = self.run.engine_build.iter();
        let words: Vec<String> =
            words.map(|word| word.replace("{net}", &net).replace("{exe}", &out)).collect();
        let (program, arguments) = words.split_first().ok_or(Error::NoBuild)?;
        let command = words.join(" ");
        let failed = |problem| Error::Build { command: command.clone(), problem };
        if !self.quiet {
            terminal::message(format_args!("Building an engine: {command}"));
        }
        let output = terminal::with_bar(1, "engines built", self.quiet, |_| {
            Command::new(program).args(arguments).output()
        });
        let output = output.map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let last = errors.lines().rev().take(5).collect::<Vec<_>>();
            let last: Vec<&str> = last.into_iter().rev().collect();
            return Err(failed(format!("{}\n{}", output.status, last.join("\n"))));
        }
        // `make EXE=` adds the suffix of the platform if it is missing.
        std::fs::rename(&unfinished, exe).map_err(|error| failed(format!("no {out}: {error}")))
    }
}
