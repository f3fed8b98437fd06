//! Arguments, call, exit code.

fn main() -> std::process::ExitCode {
    brisk::cli::run().into()
}
