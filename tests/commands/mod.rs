//! The program as it is typed, one file a subcommand.

mod attach;
mod begin;
mod begin_known;
mod catalogue;
mod check;
mod checkpoints;
mod compare;
mod configuration;
mod controls;
mod demonstration;
mod doctor;
mod exits;
mod gate_runs;
mod gates;
mod hot;
mod init;
mod inspect;
mod interrupted;
mod kept;
mod log;
mod named;
mod pages;
mod parted;
mod plan;
mod process;
mod provenance;
mod record;
mod record_files;
mod record_shapes;
mod recorded;
mod records;
mod report;
mod reset;
mod run;
mod run_lab;
mod run_resume;
mod run_sessions;
mod show;
mod slope;
mod status;
mod trees;
mod turns;
mod undone;
mod verify;

use std::process::Output;

use crate::support::Repo;

/// Standard output as text.
fn out(o: &Output) -> String {
    String::from_utf8_lossy(&o.stdout).into_owned()
}

/// Standard error as text.
fn err(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

/// A repository with four changes: a class, a branch in a method, a test, a text file.
fn small() -> Repo {
    let repo = Repo::new();
    repo.write(
        "src/A.java",
        "class A {\n    int f(int x) {\n        return x;\n    }\n}\n",
    );
    repo.commit("add A");
    repo.write(
        "src/A.java",
        "class A {\n    int f(int x) {\n        if (x > 0) {\n            return 1;\n        }\n        return x;\n    }\n    int g() {\n        return 2;\n    }\n}\n",
    );
    repo.commit("branch in f, new g");
    repo.write(
        "src/test/ATest.java",
        "class ATest {\n    void t() {\n    }\n}\n",
    );
    repo.commit("test A");
    repo.write("README", "words\n");
    repo.commit("words");
    repo
}

/// A repository with two arms of two chains, two checkpoints each: `plain` adds a branch to `f`
/// at each checkpoint, `split` adds a method.
fn runs() -> Repo {
    let repo = Repo::new();
    repo.write("src/A.java", class(0, 0));
    repo.commit("add A");
    for arm in ["plain", "split"] {
        for n in 1..=2 {
            repo.git(&[
                "checkout",
                "-q",
                "-b",
                &format!("evolve/exp/{arm}/{n}"),
                "main",
            ]);
            let trailers = format!("Evolve-Chain: exp/{arm}/{n}\nEvolve-Checkpoint: ");
            let begin = format!(
                "0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9{n}{}",
                &format!("{:02x}", arm.len() + usize::from(arm == "split"))
            );
            repo.commit(&format!(
                "base\n\n{trailers}0 base\nEvolve-Role: base\nEvolve-Begin: {begin}\n"
            ));
            for k in 1..=2 {
                let (branches, methods) = if arm == "plain" { (k, 0) } else { (0, k) };
                repo.write("src/A.java", class(branches, methods));
                repo.commit(&format!(
                    "step {k}\n\n{trailers}{k} c{k}\nEvolve-Role: agent\n"
                ));
                repo.commit(&format!(
                    "reset {k}\n\n{trailers}{k} c{k}\nEvolve-Role: reset\n"
                ));
            }
        }
    }
    repo.git(&["checkout", "-q", "main"]);
    repo
}

/// A class whose `f` has so many branches, and so many methods beside it.
fn class(branches: usize, methods: usize) -> String {
    let mut text = "class A {\n    int f(int x) {\n".to_owned();
    for i in 0..branches {
        text.push_str(&format!(
            "        if (x == {i}) {{\n            return {i};\n        }}\n"
        ));
    }
    text.push_str("        return x;\n    }\n");
    for i in 0..methods {
        text.push_str(&format!("    int m{i}() {{\n        return {i};\n    }}\n"));
    }
    text.push_str("}\n");
    text
}
