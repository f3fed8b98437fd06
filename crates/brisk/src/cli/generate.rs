//! `brisk completions` and `brisk man`, generated from the arguments, and `brisk schema`.

use clap::{Args, Command};
use clap_complete::Shell;

use super::Done;
use super::exit::ExitCode;
use super::output::Output;
use model::failure::Failure;

/// Arguments of `brisk completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints a completion script.
pub(super) fn completions(
    arguments: &CompletionsArguments,
    output: &Output,
    mut command: Command,
) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "brisk", &mut script);
    output.bytes(&script)?;
    Ok(ExitCode::Fine)
}

/// Prints the manual page: brisk itself, then every verb.
pub(super) fn man(output: &Output, command: &Command) -> Done {
    let mut page = Vec::new();
    let cannot =
        |error: std::io::Error| Failure::new("cannot make the manual page").caused_by(&error);
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(cannot)?;
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let named = verb.clone().name(format!("brisk {}", verb.get_name()));
        let verb = clap_mangen::Man::new(named);
        for section in [
            clap_mangen::Man::render_synopsis_section,
            clap_mangen::Man::render_description_section,
            clap_mangen::Man::render_options_section,
        ] {
            section(&verb, &mut page).map_err(cannot)?;
        }
    }
    output.bytes(&page)?;
    Ok(ExitCode::Fine)
}

/// Prints the JSON Schema of the exported documents.
pub(super) fn schema(output: &Output) -> Done {
    let compressed = include_bytes!(concat!(env!("OUT_DIR"), "/schema"));
    let schema = miniz_oxide::inflate::decompress_to_vec_zlib(compressed);
    output.bytes(&schema.expect("build.rs compressed it"))?;
    Ok(ExitCode::Fine)
}
