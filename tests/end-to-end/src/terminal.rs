//! Commands on a terminal.

use std::process::Command;

/// Returns a command that runs another one, whose words have no blanks, on a terminal of this width, without `CI`.
#[must_use]
pub fn on_terminal_of_width(command: &Command, columns: usize) -> Command {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let mut script = Command::new("script");
    script.args([
        "-qec",
        &format!("stty cols {columns} rows 40 && {}", words.join(" ")),
        "/dev/null",
    ]);
    script.env_remove("CI");
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    if let Some(directory) = command.get_current_dir() {
        script.current_dir(directory);
    }
    script
}
