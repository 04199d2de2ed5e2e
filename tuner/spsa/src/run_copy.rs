//! The copy of the run file in the folder of a run. The journal contains the run itself; the copy is for people, who may change
//! in it what may change while a run is under way.

use std::io::Write;
use std::path::{Path, PathBuf};

use nullarbor_runs::files::{FileError, read_text, replace};

use super::run_file::RunFile;
use super::start::comparable;

/// Returns the path of the copy in a folder.
pub fn path(dir: &Path) -> PathBuf {
    dir.join("run.toml")
}

/// Reads the copy; `None` if there is none of this run.
pub fn read(dir: &Path, run: &RunFile) -> Option<RunFile> {
    RunFile::read(&path(dir)).ok().filter(|copy| is_same_run(copy, run))
}

/// Writes what has changed into the copy, or a new one if there is none of this run.
///
/// # Errors
/// If it cannot be written.
pub fn update(dir: &Path, run: &RunFile) -> Result<(), FileError> {
    let path = path(dir);
    let text = match read(dir, run) {
        // The run file may lie there itself, with its comments.
        Some(copy) if is_current(&copy, run) => return Ok(()),
        Some(_) => edited(&read_text(&path)?, run),
        None => run.to_toml(),
    };
    replace(&path, |file| file.write_all(text.as_bytes()))
}

/// Returns whether a run file is that of a run, but for what may change.
fn is_same_run(copy: &RunFile, run: &RunFile) -> bool {
    matches!((comparable(copy, true), comparable(run, true)), (Ok(one), Ok(other)) if one == other)
}

fn is_current(copy: &RunFile, run: &RunFile) -> bool {
    (copy.iterations, copy.stop_below) == (run.iterations, run.stop_below)
}

/// Returns the text of a run file with what has changed; comments stay.
fn edited(text: &str, run: &RunFile) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut next = 0;
    for (key, value) in [
        ("iterations", Some(run.iterations.to_string())),
        ("stop_below", run.stop_below.map(|elo| elo.to_string())),
    ] {
        let mut head = lines.iter().take_while(|line| !line.trim_start().starts_with('['));
        let is_it = |line: &String| line.split_once('=').is_some_and(|(it, _)| it.trim() == key);
        match (head.position(is_it), value) {
            (Some(at), Some(value)) => {
                let comment = lines[at].split_once('#').map(|(_, comment)| format!(" #{comment}"));
                lines[at] = format!("{key} = {value}{}", comment.unwrap_or_default());
                next = at + 1;
            }
            (Some(at), None) => _ = lines.remove(at),
            (None, Some(value)) => lines.insert(next, format!("{key} = {value}")),
            (None, None) => {}
        }
    }
    let edited = lines.join("\n") + "\n";
    // There are other ways to write TOML.
    let is_right = |it: RunFile| is_same_run(&it, run) && is_current(&it, run);
    if RunFile::parse(&edited).is_ok_and(is_right) { edited } else { run.to_toml() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "# mine\niterations = 30  # many\n";
    const REST: &str = "pairs_per_iteration = 2\nnodes = 60\nseed = 5\nbook = \"unbalanced\"\n\n[parameters.lmp_base] # alone\n";

    #[test]
    fn comments_stay_where_values_change() {
        let run = RunFile::parse(&format!("{HEAD}{REST}")).expect("a run");
        let longer = RunFile { iterations: 40, stop_below: Some(0.5), ..run.clone() };
        let text = edited(&format!("{HEAD}{REST}"), &longer);
        assert_eq!(text, format!("# mine\niterations = 40 # many\nstop_below = 0.5\n{REST}"));
        assert_eq!(edited(&text, &run), format!("{}{REST}", HEAD.replace("  #", " #")));
        let quoted = format!("{HEAD}{REST}").replace("iterations = 30", "\"iterations\" = 30");
        let written = RunFile::parse(&edited(&quoted, &longer)).expect("a run");
        assert_eq!(written, longer);
    }

    #[test]
    fn a_copy_of_another_run_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = RunFile::parse(&format!("{HEAD}{REST}")).expect("a run");
        for other in [RunFile { seed: 6, ..run.clone() }.to_toml(), "iterati".to_owned()] {
            std::fs::write(path(folder.path()), other).expect("room");
            assert_eq!(read(folder.path(), &run), None);
            update(folder.path(), &run).expect("room");
            assert_eq!(read(folder.path(), &run), Some(run.clone()));
        }
    }
}
