//! Manual pages and completions are made from the command line itself, checked in, and held
//! to it here. With `EVOLVE_REWRITE=1` they are written instead of compared.

use std::path::{Path, PathBuf};

use super::out;
use crate::support::Repo;

fn root(inside: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(inside)
}

/// Compares a checked-in file with what it should be, or writes it.
fn check(path: &str, wanted: &[u8]) {
    let path = root(path);
    if std::env::var_os("EVOLVE_REWRITE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, wanted).unwrap();
        return;
    }
    let there = std::fs::read(&path).unwrap_or_default();
    assert!(
        there == wanted,
        "{} is stale: run the tests with EVOLVE_REWRITE=1",
        path.display()
    );
}

/// One page: as the generator makes it, but for the synopsis, which is the usage line, and
/// what follows the options.
fn page(mut command: clap::Command, name: String) -> Vec<u8> {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_owned();
    let more = command.get_after_long_help().map(ToString::to_string);
    let has_subcommands = command.has_subcommands();
    let name: &'static str = Box::leak(name.into_boxed_str());
    let man = clap_mangen::Man::new(command.name(name).display_name(name))
        .title(name)
        .source(concat!("git-evolve ", env!("CARGO_PKG_VERSION")))
        .manual("Git Evolve");
    let mut out = Vec::new();
    man.render_title(&mut out).unwrap();
    man.render_name_section(&mut out).unwrap();
    let section = |title: &str, lines: &[String]| {
        let mut text = format!(".SH {title}\n");
        for line in lines {
            text.push_str(&format!(
                "{}\n",
                line.replace('\\', "\\e").replace('-', "\\-")
            ));
        }
        text.into_bytes()
    };
    // Each way to call it on a line of its own.
    let usage = usage.lines().map(|l| l.trim().to_owned());
    let usage: Vec<String> = usage
        .collect::<Vec<_>>()
        .join("\n.br\n")
        .lines()
        .map(str::to_owned)
        .collect();
    out.extend(section("SYNOPSIS", &usage));
    man.render_description_section(&mut out).unwrap();
    man.render_options_section(&mut out).unwrap();
    if has_subcommands {
        man.render_subcommands_section(&mut out).unwrap();
    }
    if let Some(more) = more {
        for part in more.split("\n\n") {
            let (title, body) = part.split_once('\n').unwrap();
            // Each line stands by itself, as typed; prose has lines enough to be one paragraph.
            let tabled = body.lines().all(|l| l.trim().contains("  "));
            let mut lines = Vec::new();
            for line in body.lines() {
                match line.trim().split_once("  ").filter(|_| tabled) {
                    Some((word, rest)) => {
                        lines.push(".TP".to_owned());
                        lines.push(word.to_owned());
                        lines.push(rest.trim().to_owned());
                    }
                    None => lines.push(line.trim().to_owned()),
                }
            }
            out.extend(section(&title.trim_end_matches(':').to_uppercase(), &lines));
        }
    }
    let also = match name {
        "git-evolve" => "git-evolve-measures(7), git(1)",
        _ => "git-evolve(1), git-evolve-measures(7)",
    };
    out.extend(section("SEE ALSO", &[also.to_owned()]));
    let text = String::from_utf8(out).unwrap();
    // What the generator leaves at line ends would be an error to the linter of manual pages.
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    format!("{}\n", lines.join("\n")).into_bytes()
}

#[test]
fn the_manual_pages_are_those_of_the_command_line() {
    let mut command = git_evolve::cli::command();
    command.build();
    // Hidden subcommands are for programs; what stands in plans has a page all the same.
    let paged = |s: &&clap::Command| !s.is_hide_set() || s.get_name() == "replay-agent";
    for sub in command.get_subcommands().filter(paged) {
        let name = format!("git-evolve-{}", sub.get_name());
        check(&format!("man/{name}.1"), &page(sub.clone(), name));
    }
    check("man/git-evolve.1", &page(command, "git-evolve".to_owned()));
    let measures = git_evolve::cli::measures_manual().unwrap();
    check("man/git-evolve-measures.7", &measures);
}

#[test]
fn the_completions_are_those_of_the_command_line() {
    use clap_complete::Shell;
    for (shell, file) in [
        (Shell::Bash, "git-evolve.bash"),
        (Shell::Zsh, "_git-evolve"),
        (Shell::Fish, "git-evolve.fish"),
    ] {
        check(
            &format!("completions/{file}"),
            &git_evolve::cli::completions(shell),
        );
    }
}

#[test]
fn help_prints_the_manual_without_markup() {
    let repo = Repo::new();
    for words in [&["help"][..], &["help", "log"], &["help", "measures"]] {
        let text = repo.stdout(words);
        assert!(text.starts_with("NAME\n"), "{text}");
        assert!(!text.contains("\\f") && !text.contains(".TH"), "{text}");
    }
    assert!(repo.stdout(&["help", "log"]).contains("--metrics"));
    let wrong = repo.evolve(&["help", "lgo"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn bash_completes_git_evolve_with_the_checked_in_script() {
    let repo = Repo::new();
    let script = root("completions/git-evolve.bash");
    let words = format!(
        "source '{}'; words=(git evolve sl); cword=2; cur=sl; prev=evolve; _git_evolve; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let done = repo
        .command("bash", repo.path())
        .args(["-c", &words])
        .output()
        .unwrap();
    assert_eq!(out(&done), "slope\n");
}

/// What a program reads is what the repository holds, though a terminal would obey it.
#[test]
fn machine_formats_keep_bytes_that_would_steer_a_terminal() {
    let repo = crate::support::Repo::new();
    repo.write("a\u{1b}[31mb.py", "def f():\n    pass\n");
    repo.commit("odd name");
    for words in [
        ["files", "--format", "csv"],
        ["functions", "--format", "csv"],
    ] {
        let text = repo.stdout(&words);
        assert!(text.contains("\na\u{1b}[31mb.py,"), "{text:?}");
    }
    let json = repo.stdout(&["files", "--format", "json"]);
    assert!(json.contains("a\\u001b[31mb.py"), "{json}");
    let table = repo.stdout(&["files"]);
    assert!(table.contains("a\\u{1b}[31mb.py"), "{table}");
}

/// Every page for people names the settings it was made under.
#[test]
fn tables_and_markdown_carry_the_digest() {
    let repo = super::small();
    for words in [
        "log",
        "slope",
        "show HEAD~2",
        "files",
        "functions",
        "lines HEAD src/A.java",
    ] {
        for format in ["table", "md"] {
            let mut all: Vec<&str> = words.split(' ').collect();
            all.extend(["--format", format]);
            let text = repo.stdout(&all);
            let last = text.lines().last().unwrap_or_default();
            let digest = last.rsplit("config ").next().unwrap_or_default();
            assert!(
                digest.len() == 16 && digest.bytes().all(|b| b.is_ascii_hexdigit()),
                "{words} {format}: {last}"
            );
        }
    }
    let page = repo.stdout(&["show", "HEAD~2", "--format", "md"]);
    for part in [
        "commit ",
        "branch in f, new g",
        "src/A.java",
        "A::g",
        "| churn |",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
