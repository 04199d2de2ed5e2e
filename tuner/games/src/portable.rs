//! Engines for other machines: descriptions that name files and programs by their index in a [`RunSpec`].
//!
//! Files travel. Programs do not: the operator of each machine says which ones may run there, and with what: numbers,
//! switches and words as options, but no arguments, and nothing that could name a file.

use std::error::Error;
use std::path::{Path, PathBuf, is_separator};

use nullarbor_runs::{LocalProgram, NotPortable, RunSpec, SpecError};

use super::engine_config::{EngineConfig, Program};
use super::engine_spec::{self, EngineSpec};
use super::uci::Command;

/// The option of a network, whose file travels.
const NETWORK: &str = "EvalFile";
/// Parts of the names of options that lead to files.
const FILES: [&str; 5] = ["file", "path", "log", "dir", "folder"];

/// Returns the description of an engine with its limit, without a name; adds what it needs to `spec`.
///
/// # Errors
/// If the engine can be played here alone.
pub fn pack(engine: &EngineConfig, spec: &mut RunSpec) -> Result<String, NotPortable> {
    let program = match &engine.program {
        Program::InProcess(options) => engine_spec::write(options, |path| file(path, spec)),
        Program::External(command) => pack_program(command, &engine.name, spec)?,
    };
    Ok(format!("{program},{}", engine.limit.spec()))
}

/// Returns the description of a program, without a limit; adds what it needs to `spec`.
///
/// # Errors
/// If it can be run here alone.
pub fn pack_program(
    command: &Command,
    name: &str,
    spec: &mut RunSpec,
) -> Result<String, NotPortable> {
    check(command).map_err(|problem| NotPortable(format!("{name} with {problem}")))?;
    let program =
        LocalProgram { path: command.program.clone(), revision: command.revision.clone() };
    let index = place(&mut spec.programs, program);
    let mut text = format!("cmd={index},ponder={}", command.ponder);
    for (option, value) in &command.options {
        let value = match &**option {
            NETWORK if Path::new(value).is_file() => {
                file(Path::new(value), spec).display().to_string()
            }
            NETWORK => {
                return Err(NotPortable(format!(
                    "{name} with {NETWORK}={value}, which is no file"
                )));
            }
            _ => value.clone(),
        };
        text += &format!(",option.{option}={value}");
    }
    Ok(text)
}

/// Returns the name of a file in a description: its index, with the extension that tells its format.
fn file(path: &Path, spec: &mut RunSpec) -> PathBuf {
    let index = place(&mut spec.files, path.to_owned());
    Path::new(&index.to_string()).with_extension(path.extension().unwrap_or_default())
}

/// Returns the place of an item in a list, at whose end it is put if it is missing.
fn place<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// Returns the engine of a description that another machine has sent, with files and programs of this one.
///
/// # Errors
/// If it is malformed, or asks for what did not come along or is not allowed.
pub fn unpack(text: &str, name: &str, spec: &RunSpec) -> Result<EngineConfig, SpecError> {
    let wrong = |error: &dyn Error| SpecError::Other(error.to_string());
    let parsed: EngineSpec =
        local(text, spec)?.parse().map_err(|error: engine_spec::SpecError| wrong(&error))?;
    let engines = engine_spec::engines(&[parsed], None).map_err(|error| wrong(&error))?;
    let engine = engines.into_iter().next().ok_or(SpecError::Other("no engine".to_owned()))?;
    if let Program::External(command) = &engine.program {
        check(command).map_err(|problem| SpecError::Other(format!("{name} has {problem}")))?;
    }
    Ok(EngineConfig { name: name.to_owned(), ..engine })
}

/// Returns a description that another machine has sent with the paths of this one.
///
/// # Errors
/// If it names a file or a program that did not come along.
pub fn local(text: &str, spec: &RunSpec) -> Result<String, SpecError> {
    // No file of this machine that a name may happen to lead to.
    engine_spec::with_paths(text, |key, path| {
        let index = Path::new(path).file_stem().and_then(|it| it.to_str()?.parse().ok());
        let unknown = || SpecError::Other(format!("{path} did not come along"));
        let index = index.ok_or_else(unknown)?;
        let path = if key == "cmd" { spec.program(index) } else { spec.file(index) };
        let path = path?.display().to_string();
        if path.contains(',') {
            return Err(SpecError::Other(format!("a comma in the path {path} of this machine")));
        }
        Ok(path)
    })
}

/// Checks that a program is to run with numbers, switches and words alone, not with what is dangerous, or means something
/// else, on another machine.
///
/// # Errors
/// The first argument, folder or option that is neither.
pub fn check(command: &Command) -> Result<(), String> {
    if !command.args.is_empty() {
        return Err("arguments (arg=), which a worker does not take".to_owned());
    }
    if command.folder.is_some() {
        return Err("a folder (dir=), which a worker does not have".to_owned());
    }
    let is_control = |text: &String| text.contains(char::is_control);
    if command.options.iter().any(|(option, value)| is_control(option) || is_control(value)) {
        return Err("an option of more than one line, which would be another command".to_owned());
    }
    let names_file = |(option, value): &&(String, String)| {
        let lower = option.to_ascii_lowercase();
        option != NETWORK
            && (FILES.iter().any(|part| lower.contains(part)) || value.contains(is_separator))
    };
    match command.options.iter().find(names_file) {
        Some((option, value)) => Err(format!("{option}={value}, which may name a file")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Limit;

    fn engine(text: &str) -> EngineConfig {
        let limit = Limit::Depth(nullarbor::types::Depth(3));
        let spec: EngineSpec = text.parse().expect(text);
        engine_spec::engines(&[spec], Some(&limit)).expect("it has a limit").remove(0)
    }

    #[test]
    fn engines_come_back_with_files_and_programs() {
        let folder = tempfile::tempdir().expect("a folder");
        let network = folder.path().join("a.nnue");
        std::fs::write(&network, "").expect("room");
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let network = network.display();
        for text in [
            "self,Hash=5,NullMove=off,engine=no-reverse-futility,null_move_base=4096".to_owned(),
            format!("self,EvalFile={network}"),
            "cmd=/bin/engine,option.Hash=4,option.Skill Level=3,option.Slow=true".to_owned(),
            format!("cmd=/bin/engine,revision={commit},option.EvalFile={network}"),
        ] {
            let mut engine = engine(&text);
            let mut spec = RunSpec::default();
            let packed = pack(&engine, &mut spec).expect("portable");
            assert!(!packed.contains('/') && !packed.contains(commit), "{packed}");
            if let Program::External(command) = &mut engine.program {
                // Each machine knows which one it has built.
                command.revision = None;
            }
            assert_eq!(unpack(&packed, &engine.name, &spec).expect("well-formed"), engine);
        }
    }

    #[test]
    fn only_harmless_words_reach_a_program() {
        let spec = RunSpec {
            files: vec!["x".into()],
            programs: vec![LocalProgram { path: "/bin/engine".into(), revision: None }],
            ..RunSpec::default()
        };
        for (text, part) in [
            ("cmd=1,nodes=1", "no program 1"),
            ("cmd=/bin/sh,nodes=1", "/bin/sh did not come along"),
            ("cmd=0,arg=-c,nodes=1", "arguments"),
            ("cmd=0,dir=0,nodes=1", "a folder"),
            ("cmd=0,option.Debug Log File=x,nodes=1", "Debug Log File=x, which may name a file"),
            ("cmd=0,option.SyzygyPath=x,nodes=1", "which may name a file"),
            ("cmd=0,option.A=/etc/passwd,nodes=1", "which may name a file"),
            ("cmd=0,option.A=1\nsetoption name Debug Log File value x,nodes=1", "another command"),
            ("cmd=0,option.A\nB=1,nodes=1", "another command"),
            ("cmd=0,option.EvalFile=/x,nodes=1", "/x did not come along"),
            ("self,nodes=1,EvalFile=/x", "/x did not come along"),
            ("self,nodes=1,NullMove=/x.toml", "/x.toml did not come along"),
            ("self,nodes=1,EvalFile=1", "no file 1"),
        ] {
            let error = unpack(text, "a", &spec).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        for text in ["cmd=e,arg=x", "cmd=e,dir=/", "cmd=e,option.LogFile=x", "cmd=e,option.A=a/b"] {
            pack(&engine(text), &mut RunSpec::default()).expect_err(text);
        }
    }
}
