#[expect(unreachable_pub, reason = "it is the black-box tests' too")]
#[path = "../../../tests/support/agents.rs"]
mod fakes;

use std::time::Instant;

use super::super::sandbox::{available, works};
use super::*;
use crate::plan::{Agent, Command, Limits, OnFail, Signs};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        fs::create_dir_all(place.path("clone")).expect("made");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0
            .path()
            .canonicalize()
            .expect("a real path")
            .join(name)
    }

    /// An agent that is the script `text`, with `more` words.
    fn agent(&self, text: &str, more: &[&str]) -> Agent {
        let mut words = fakes::script(&self.path("fakes"), "agent.sh", text);
        words.extend(more.iter().map(|w| (*w).to_owned()));
        Agent {
            command: Command::Words(words),
            prompt: PromptRoute::Stdin,
            model: Some("fake-1".to_owned()),
            version: None,
            environment: BTreeMap::new(),
            pass_environment: Vec::new(),
            config: Vec::new(),
            envelope: None,
            transcripts: Vec::new(),
            keep_transcripts: false,
            tools: vec!["Read".to_owned(), "Edit".to_owned()],
            permission_mode: None,
            limits: Limits {
                turns: None,
                cost_usd: Some(1.0),
                time: Duration::from_secs(60),
                attempts: 1,
                output: 1 << 20,
            },
            on_fail: OnFail::Stop,
            repair_shows: Vec::new(),
            repair_prompt: None,
            rate_limited: Signs {
                exit_codes: vec![75],
                patterns: vec!["HTTP 429".to_owned()],
            },
            rate_limit_wait: (Duration::from_secs(1), Duration::from_secs(2)),
            rate_limit_retries: 1,
            credentials_dead: Signs {
                exit_codes: Vec::new(),
                patterns: vec!["^Invalid API key".to_owned()],
            },
            isolation: plan::Isolation::Auto,
            visible: vec![self.path("fakes")],
            network: true,
            history: false,
        }
    }

    fn hold(&self, agent: &Agent) -> Result<Answered> {
        self.hold_for(agent, Duration::from_secs(60), &Stop::new())
    }

    fn hold_for(&self, agent: &Agent, time: Duration, stop: &Stop) -> Result<Answered> {
        let shown = |name: &str| self.path(name).to_string_lossy().into_owned();
        let session = Session {
            agent,
            purpose: Purpose::Implement,
            prompt: "Write it.\nThen say \"done\".",
            clone: &self.path("clone"),
            folder: &self.path("session"),
            places: Places::default()
                .with("checkpoint", "2")
                .with("tmp", shown("tmp"))
                .with("cache", shown("cache")),
            hidden: vec![self.path("closed")],
            read_only: false,
            time,
            mark: String::new(),
        };
        converse(&session, stop)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }
}

#[test]
fn the_prompt_gets_there_by_each_route() {
    for (route, word, text, more) in [
        (PromptRoute::Stdin, "stdin", fakes::BY_STDIN, &[][..]),
        (PromptRoute::Argument, "argument", fakes::BY_ARGUMENT, &[]),
        (
            PromptRoute::Argument,
            "argument",
            fakes::BY_ARGUMENT,
            &["{prompt}"],
        ),
        (
            PromptRoute::File,
            "file",
            fakes::BY_FILE,
            &["{prompt_file}"],
        ),
    ] {
        let place = Place::new();
        let mut agent = place.agent(text, more);
        agent.prompt = route;
        let held = place.hold(&agent).expect("held");
        assert_eq!(held.state, State::Done, "{word}");
        assert_eq!(
            place.read("clone/asked.txt"),
            "Write it.\nThen say \"done\"."
        );
        assert_eq!(held.answer.as_deref(), Some("done"));
        assert_eq!(held.launch.prompt_route, word);
        let words = held.launch.command.join(" ");
        assert!(!words.contains("Write it"), "{words}");
        assert_eq!(words.contains("{prompt}"), route == PromptRoute::Argument);
        assert_eq!(held.launch.isolation, available().word());
    }
}

#[test]
fn a_line_for_the_shell_gets_the_prompt_as_its_first_argument() {
    let place = Place::new();
    let mut agent = place.agent("", &[]);
    agent.command = Command::Shell(
        "printf %s \"$1\" >asked.txt; echo $EVOLVE_CHECKPOINT $EVOLVE_MODEL $EVOLVE_TOOLS"
            .to_owned(),
    );
    agent.prompt = PromptRoute::Argument;
    let held = place.hold(&agent).expect("held");
    assert_eq!(held.answer.as_deref(), Some("2 fake-1 Read,Edit"));
    assert!(place.read("clone/asked.txt").starts_with("Write it.\n"));
}

#[test]
fn each_way_to_end_is_told_from_the_others() {
    let after = Some(Duration::from_secs(7));
    for (text, state, by) in [
        (fakes::DONE, State::Done, "itself"),
        (fakes::NOTHING, State::Done, "itself"),
        (
            fakes::FAILED,
            State::Failed("exit status 3: cannot go on".into()),
            "itself",
        ),
        (fakes::MAX_TURNS, State::OverLimit("turns".into()), "itself"),
        (
            fakes::OVER_COST,
            State::OverLimit("cost_usd".into()),
            "itself",
        ),
        (
            fakes::RATE_LIMITED,
            State::RateLimited { after: None },
            "itself",
        ),
        (fakes::TURNED_AWAY, State::RateLimited { after }, "itself"),
        (
            fakes::CREDENTIALS_DEAD,
            State::CredentialsDead("Invalid API key [masked]".into()),
            "itself",
        ),
        ("exit 75", State::RateLimited { after: None }, "itself"),
        ("echo 'they said HTTP 429 once'", State::Done, "itself"),
        (fakes::KILLED, State::Killed(9), "killed"),
    ] {
        let place = Place::new();
        let held = place.hold(&place.agent(text, &[])).expect("held");
        assert_eq!(held.state, state, "{text}");
        assert_eq!(held.launch.ended_by, by, "{text}");
        assert_eq!(
            held.captured.session.outcome.as_deref(),
            Some(state.outcome())
        );
        let over = matches!(state, State::OverLimit(_));
        assert_eq!(!held.launch.over.is_empty(), over, "{text}");
    }
}

#[test]
fn one_that_never_ends_is_timed_out_or_interrupted() {
    let place = Place::new();
    let agent = place.agent(fakes::NEVER_ENDS, &[]);
    let began = Instant::now();
    let held = place
        .hold_for(&agent, Duration::from_millis(500), &Stop::new())
        .expect("held");
    assert_eq!(
        (held.state, held.launch.over),
        (State::TimedOut, vec!["time".to_owned()])
    );
    assert!(began.elapsed() < Duration::from_secs(30));
    let stop = Stop::new();
    let asks = {
        let stop = stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            stop.ask();
        })
    };
    let held = place
        .hold_for(&agent, Duration::from_secs(600), &stop)
        .expect("held");
    asks.join().expect("it asked");
    assert_eq!(held.state, State::Interrupted);
    assert_eq!(held.launch.ended_by, "interrupt");
}

#[test]
fn a_session_that_cannot_begin_is_an_error_that_names_what_is_missing() {
    let place = Place::new();
    let mut agent = place.agent("", &[]);
    agent.command = Command::Words(vec!["no-such-agent-program".to_owned()]);
    let e = place.hold(&agent).expect_err("there is none");
    assert!(e.to_string().contains("no-such-agent-program"), "{e}");
    agent.command = Command::Words(vec!["sh".to_owned(), "{promt_file}".to_owned()]);
    let e = place.hold(&agent).expect_err("no such place");
    assert!(
        e.hint().is_some_and(|h| h.contains("`{prompt_file}`")),
        "{e}"
    );
}

#[test]
fn envelope_and_logs_come_from_files_and_no_link_is_followed() {
    let place = Place::new();
    let mut agent = place.agent(fakes::FILES, &[]);
    agent.envelope = Some("{config}/result.json".to_owned());
    agent.transcripts = vec!["{config}/logs/**/*.jsonl".to_owned()];
    let held = place.hold(&agent).expect("held");
    assert_eq!((&held.state, held.cost_usd), (&State::Done, Some(0.125)));
    assert_eq!(held.answer.as_deref(), Some("From a file."));
    let kept = place.path("session/kept");
    assert_eq!(held.captured.envelopes, [kept.join("envelope/result.json")]);
    let log = kept.join("transcripts/config/logs/inner/a.jsonl");
    assert_eq!(held.captured.transcripts, std::slice::from_ref(&log));
    assert_eq!(fs::read(log).expect("kept"), b"{\"log\":1}\n");

    agent.transcripts = vec!["/etc/*.conf".to_owned()];
    let e = place.hold(&agent).expect_err("out of the session");
    assert!(
        e.to_string().contains("neither in the session's folder"),
        "{e}"
    );
}

#[test]
fn the_session_has_a_folder_of_its_own_and_what_the_plan_puts_there() {
    let place = Place::new();
    let mut agent = place.agent(
        "cat \"$AGENT_HOME/settings.json\" \"$AGENT_HOME/inner/x\"; echo $HOME $TMPDIR; echo $GIVEN; \
         echo ${EVOLVE_CHAIN-no chain}; echo $EVOLVE_PURPOSE",
        &[],
    );
    fs::create_dir_all(place.path("plan/tree/inner")).expect("made");
    fs::write(place.path("plan/settings.json"), "settings\n").expect("written");
    fs::write(place.path("plan/tree/inner/x"), "x\n").expect("written");
    let overlay = |from: &str, to: &str| Overlay {
        from: place.path(from),
        to: to.to_owned(),
    };
    agent.config = vec![overlay("plan/settings.json", ""), overlay("plan/tree", "")];
    agent.environment = BTreeMap::from([
        ("AGENT_HOME".to_owned(), "{config}".to_owned()),
        ("GIVEN".to_owned(), "cp-{checkpoint}".to_owned()),
        ("AGENT_API_KEY".to_owned(), "abcdefgh12345678".to_owned()),
    ]);
    agent.pass_environment = vec!["NO_SUCH_VARIABLE_HERE".to_owned()];
    let held = place.hold(&agent).expect("held");
    let work = place.path("session/work");
    let want = format!(
        "settings\nx\n{} {}\ncp-2\nno chain\nimplement",
        work.join("home").display(),
        place.path("tmp").display()
    );
    assert_eq!(held.answer.as_deref(), Some(want.as_str()));
    assert_eq!(held.launch.environment["GIVEN"], "cp-2");
    assert_eq!(held.launch.environment["AGENT_API_KEY"], "[masked]");
    assert_eq!(held.launch.passed, ["NO_SUCH_VARIABLE_HERE"]);
}

#[test]
fn the_agents_version_is_asked_once() {
    let place = Place::new();
    let mut agent = place.agent(fakes::NOTHING, &[]);
    let counts = format!(
        "echo asked >>{}; echo fake 1.2.3; echo more",
        place.path("cache/asked").display()
    );
    agent.version = Some(Command::Shell(counts));
    for _ in 0..2 {
        let held = place.hold(&agent).expect("held");
        assert_eq!(held.agent_version.as_deref(), Some("fake 1.2.3"));
    }
    assert_eq!(place.read("cache/asked"), "asked\n");
}

#[test]
fn a_sandboxed_session_sees_its_own_things_alone() {
    if available() == super::Isolation::None {
        skipped("no sandbox on this system");
        return;
    }
    let place = Place::new();
    for name in ["closed/secret", "other-chain/clone/secret", "clone/mine"] {
        fs::create_dir_all(place.path(name).parent().expect("a parent")).expect("made");
        fs::write(place.path(name), "secret").expect("written");
    }
    let mut agent = place.agent(fakes::MISBEHAVES, &["snoops"]);
    let at = [
        "closed/secret",
        "closed",
        "other-chain/clone/secret",
        "",
        "session/kept",
    ];
    let at: Vec<String> = at
        .iter()
        .map(|p| place.path(p).display().to_string())
        .collect();
    agent.environment = BTreeMap::from([("SNOOP".to_owned(), at.join(" "))]);
    let held = place.hold(&agent).expect("held");
    let said = held.answer.expect("an answer");
    assert!(
        !said.contains("secret") && !said.contains("other-chain"),
        "{said}"
    );
    assert!(said.ends_with("done"), "{said}");
}

#[test]
fn a_read_only_session_cannot_write_in_its_clone() {
    for isolation in [plan::Isolation::Auto, plan::Isolation::None] {
        let place = Place::new();
        fs::create_dir_all(place.path("clone/d")).expect("made");
        fs::write(place.path("clone/d/f"), "kept").expect("written");
        let mut agent = place.agent("echo no >d/f; echo no >new; rm -f d/f; cat d/f", &[]);
        agent.isolation = isolation;
        let clone = place.path("clone");
        let folder = place.path("session");
        let session = Session {
            agent: &agent,
            purpose: Purpose::Probe,
            prompt: "Which rules?",
            clone: &clone,
            folder: &folder,
            places: Places::default(),
            hidden: Vec::new(),
            read_only: true,
            time: Duration::from_secs(60),
            mark: String::new(),
        };
        let held = converse(&session, &Stop::new()).expect("held");
        let root = rustix::process::getuid().is_root();
        if isolation == plan::Isolation::None && root {
            skipped("permissions do not bind root");
            continue;
        }
        if isolation == plan::Isolation::Auto && held.launch.isolation == "none" && root {
            skipped("no sandbox on this system");
            continue;
        }
        assert_eq!(held.answer.as_deref(), Some("kept"), "{isolation:?}");
        assert!(!place.path("clone/new").exists());
        // It can be written, and taken away, again.
        fs::write(place.path("clone/d/f"), "changed").expect("writable again");
    }
}

#[test]
fn a_required_sandbox_is_one() {
    let place = Place::new();
    let mut agent = place.agent(fakes::NOTHING, &[]);
    agent.isolation = plan::Isolation::Required;
    let kinds = [super::Isolation::Bwrap, super::Isolation::Namespaces];
    match place.hold(&agent) {
        Ok(held) => assert_ne!(held.launch.isolation, "none"),
        Err(e) => {
            assert!(!kinds.into_iter().any(works), "{e}");
            assert!(e.to_string().contains("requires a sandbox"), "{e}");
        }
    }
    agent.isolation = plan::Isolation::None;
    let held = place.hold(&agent).expect("held");
    assert_eq!(held.launch.isolation, "none");
}

#[test]
fn a_gigabyte_of_talk_and_daemons_are_cut_off_and_told() {
    let place = Place::new();
    let agent = place.agent(fakes::MISBEHAVES, &["daemons", "prints"]);
    let held = place.hold(&agent).expect("held");
    assert_eq!(held.state, State::Done);
    assert_eq!(held.launch.over, ["output"]);
    assert_eq!(held.launch.left_running, 3);
    assert!(held.launch.output > 1 << 30);
    assert_eq!(held.launch.output - held.launch.output_dropped, 1 << 20);
    let size = fs::metadata(place.path("session/kept/session.out"))
        .expect("kept")
        .len();
    assert!(size < (1 << 20) + 100, "{size}");
}

#[expect(clippy::print_stderr, reason = "what was not tested is to be seen")]
fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}
