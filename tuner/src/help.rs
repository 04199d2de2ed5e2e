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
    use crate::Cli;
    use clap::CommandFactory;

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
}
