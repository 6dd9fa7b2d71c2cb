//! Hands the words typed to the library and turns its answer into an exit code.

fn main() -> std::process::ExitCode {
    git_evolve::cli::main()
}
