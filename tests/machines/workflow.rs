//! The examples of `docs/machines.md`: the workflow is YAML, and every command of every example is
//! one that the program knows.

use yaml_rust2::{Yaml, YamlLoader};

const PAGE: &str = include_str!("../../docs/machines.md");

/// The example in a block of this language.
fn block(language: &str) -> &'static str {
    let begin = format!("```{language}\n");
    let from = PAGE.find(&begin).expect("a block") + begin.len();
    let rest = &PAGE[from..];
    &rest[..rest.find("\n```").expect("its end")]
}

/// The `git evolve` commands in some lines for a shell, as words.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or("");
        for (at, _) in line.match_indices("git evolve ") {
            let rest = &line[at..];
            let end = rest
                .find([';', '|', '&', '>', ')', '`'])
                .unwrap_or(rest.len());
            // Quotes of the line around it end it, too.
            let command = rest[..end].trim().trim_end_matches(['\'', '"']);
            let plain = command.replace("${{ matrix.chain }}", "e/a/1");
            let words = plain.split_whitespace().skip(2);
            found.push(words.map(|w| w.trim_matches('"').to_owned()).collect());
        }
    }
    found
}

fn known(words: &[String]) {
    let all = ["git-evolve"]
        .into_iter()
        .chain(words.iter().map(String::as_str));
    if let Err(e) = git_evolve::cli::command().try_get_matches_from(all) {
        panic!("{words:?}: {e}");
    }
}

fn runs<'y>(yaml: &'y Yaml, into: &mut Vec<&'y str>) {
    match yaml {
        Yaml::Hash(all) => {
            for (key, value) in all {
                match (key.as_str(), value.as_str()) {
                    (Some("run"), Some(text)) => into.push(text),
                    _ => runs(value, into),
                }
            }
        }
        Yaml::Array(all) => all.iter().for_each(|y| runs(y, into)),
        _ => {}
    }
}

#[test]
fn the_example_workflow_is_yaml_whose_commands_are_the_programs_own() {
    let read = YamlLoader::load_from_str(block("yaml")).expect("YAML");
    let [workflow] = read.as_slice() else {
        panic!("{} documents", read.len());
    };
    let jobs = workflow["jobs"].as_hash().expect("jobs");
    let names: Vec<&str> = jobs.keys().filter_map(Yaml::as_str).collect();
    assert_eq!(names, ["chains", "chain", "report"]);
    // What a job needs is there, and the matrix is that of the job before.
    assert_eq!(workflow["jobs"]["chain"]["needs"].as_str(), Some("chains"));
    assert_eq!(workflow["jobs"]["report"]["needs"].as_str(), Some("chain"));
    let matrix = workflow["jobs"]["chain"]["strategy"]["matrix"]
        .as_str()
        .expect("a matrix");
    assert!(matrix.contains("needs.chains.outputs.matrix"), "{matrix}");
    let outputs = workflow["jobs"]["chains"]["outputs"]["matrix"]
        .as_str()
        .expect("an output");
    assert!(outputs.contains("steps.matrix.outputs.matrix"), "{outputs}");
    let mut texts = Vec::new();
    runs(workflow, &mut texts);
    let all: Vec<Vec<String>> = texts.iter().flat_map(|t| commands(t)).collect();
    let subcommands: Vec<&str> = all.iter().map(|c| c[0].as_str()).collect();
    assert_eq!(
        subcommands,
        [
            "fetch", "plan", "matrix", "fetch", "run", "push", "fetch", "verify", "controls",
            "slope"
        ]
    );
    all.iter().for_each(|c| known(c));
}

#[test]
fn every_command_of_the_page_is_known() {
    let mut seen = 0;
    for (at, text) in PAGE.split("```").enumerate() {
        // Every second part stands between fences; in the others commands stand in backticks.
        let parts: Vec<&str> = match at % 2 {
            1 => vec![text],
            _ => text
                .split('`')
                .skip(1)
                .step_by(2)
                .filter(|p| p.contains("git evolve "))
                .collect(),
        };
        for part in parts {
            for words in commands(part) {
                // `PATH` and the like stand for something.
                known(
                    &words
                        .iter()
                        .map(|w| w.replace("{}", "e/a/1"))
                        .collect::<Vec<_>>(),
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 15, "{seen}");
}
