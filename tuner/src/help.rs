//! The help of the program: its commands by task.

use clap::Command;

/// The commands by task, in the order of their declaration.
const TASKS: &[(&str, &[&str])] = &[
    ("Test engines", &["match", "compliance", "openings", "wdl"]),
    ("Tune parameters", &["spsa"]),
    ("Train networks", &["datagen", "train", "judge", "label", "breed"]),
    ("Study null moves", &["lab", "mine", "study"]),
    ("Run and watch", &["worker", "dashboard"]),
    ("Shell and manual", &["completions", "man"]),
];

/// Returns the program with a help that lists its commands by task.
pub fn by_task(program: Command) -> Command {
    let template = template(&program);
    program.help_template(template)
}

/// Returns the template of the help. clap has a single list of commands, so theirs is part of the text.
fn template(program: &Command) -> String {
    let styles = program.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let width = program.get_subcommands().map(|it| it.get_name().len()).max().unwrap_or(0);
    let row = |name: &&str| {
        let about = program.find_subcommand(name).and_then(Command::get_about);
        let about = about.map(ToString::to_string).unwrap_or_default();
        format!("  {literal}{name:<width$}{literal:#}  {about}\n")
    };
    let mut commands = String::new();
    for (task, names) in TASKS {
        let rows: String = names.iter().map(row).collect();
        commands += &format!("{header}{task}:{header:#}\n{rows}\n");
    }
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}\
         {header}Options:{header:#}\n{{options}}{{after-help}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cli, parse};
    use clap::CommandFactory;
    use std::ffi::OsString;

    #[test]
    fn every_command_is_listed_once_and_in_the_order_of_its_declaration() {
        let program = Cli::command();
        let declared: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        let listed: Vec<&str> = TASKS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(listed, declared);
    }

    #[test]
    fn the_help_has_commands_by_task_options_and_examples() {
        let help = by_task(Cli::command()).render_help().to_string();
        for part in ["Test engines:\n  match  ", "\n\nOptions:\n  -h, --help", "\n\nExamples:\n"] {
            assert!(help.contains(part), "no {part:?} in:\n{help}");
        }
    }

    /// Returns the words of the examples in the help of a command and of those below it.
    fn examples(command: &Command) -> Vec<Vec<String>> {
        let help = command.get_after_long_help().or(command.get_after_help());
        let text = help.map(ToString::to_string).unwrap_or_default().replace("\\\n", " ");
        let lines = text.lines().flat_map(|line| line.split(" && ")).map(str::trim);
        // Quotes are for the shell, and so is what follows these signs.
        let own = lines.filter(|it| it.starts_with("nullarbor-tuner ") && !it.contains('\''));
        let words = own.map(|line| {
            let words = line.split_whitespace().take_while(|it| ![">", "#"].contains(it));
            words.map(str::to_owned).collect::<Vec<_>>()
        });
        words.chain(command.get_subcommands().flat_map(examples)).collect()
    }

    #[test]
    fn every_example_is_a_command_line() {
        let examples = examples(&Cli::command());
        assert!(examples.len() > 60, "so few examples: {}", examples.len());
        // A scheme is read as soon as it is named.
        let needs_a_file = |words: &[String]| words.iter().any(|it| it.contains("NullMove=mined/"));
        for words in examples.iter().filter(|words| !needs_a_file(words)) {
            if let Err(error) = parse(words.iter().map(OsString::from).collect()) {
                panic!("{words:?}: {error}");
            }
        }
    }

    #[test]
    fn every_command_has_examples() {
        fn without(command: &Command) -> Vec<&str> {
            let is_one = command.get_subcommands().next().is_none();
            let lacks = is_one && command.get_after_long_help().is_none();
            let own = lacks.then(|| command.get_name());
            own.into_iter().chain(command.get_subcommands().flat_map(without)).collect()
        }
        assert_eq!(without(&Cli::command()), [""; 0]);
    }
}
