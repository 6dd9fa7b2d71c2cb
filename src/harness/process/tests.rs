use std::fs;

use super::super::sandbox::{Isolation, works};
use super::*;

mod sandboxed;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A line for the shell.
    fn job(&self, line: &str) -> Job {
        let words = ["sh", "-c", line].map(OsString::from).to_vec();
        let mut job = Job::new(words, self.0.path(), &self.path("job"));
        job.time = Duration::from_secs(60);
        let path = std::env::var_os("PATH").unwrap_or_default();
        job.environment.insert("PATH".into(), path);
        job
    }

    fn inside(&self, kind: Isolation, line: &str) -> Job {
        let mut job = self.job(line);
        job.sandbox = Some(Sandbox {
            kind,
            writable: vec![self.0.path().to_owned()],
            readable: Vec::new(),
            hidden: Vec::new(),
            network: true,
        });
        job
    }

    fn out(&self) -> String {
        fs::read_to_string(self.path("job.out")).expect("readable")
    }
}

/// The kinds of sandbox that this system has; says which it has not.
fn kinds() -> Vec<Isolation> {
    let all = [Isolation::Bwrap, Isolation::Namespaces];
    let (has, lacks): (Vec<_>, Vec<_>) = all.into_iter().partition(|k| works(*k));
    for kind in lacks {
        skipped(&format!("no {} on this system", kind.word()));
    }
    has
}

/// What was not tested is to be seen.
fn skipped(why: &str) {
    let mut to = std::io::stderr();
    std::io::Write::write_fmt(&mut to, format_args!("SKIPPED: {why}\n")).expect("said");
}

fn processes_with(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(word) {
            found.push(line);
        }
    }
    found
}

/// That no process has `word` in its command line, soon.
fn all_gone(word: &str) {
    let began = Instant::now();
    while !processes_with(word).is_empty() && began.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(processes_with(word), Vec::<String>::new());
}

#[test]
fn a_job_gets_its_input_and_nothing_of_our_environment() {
    let place = Place::new();
    let mut job = place.job("cat; env | sort; echo told >&2; exit 3");
    job.input = Input::Bytes(b"asked\n".to_vec());
    job.mark = "m1".to_owned();
    let ended = run(&job, &Stop::new()).expect("it ran");
    assert_eq!((ended.by, ended.exit_code), (By::Itself, Some(3)));
    assert_eq!(
        (ended.output, ended.dropped, ended.left_running),
        (place.out().len() as u64 + 5, 0, 0)
    );
    let out = place.out();
    let mut names: Vec<&str> = out
        .lines()
        .skip(1)
        .filter_map(|l| l.split('=').next())
        .collect();
    names.retain(|n| !["PWD", "OLDPWD", "SHLVL", "_"].contains(n));
    assert_eq!(names, ["EVOLVE_MARK", "PATH"]);
    assert!(out.starts_with("asked\n"));
    assert_eq!(
        fs::read(place.path("job.err")).expect("readable"),
        b"told\n"
    );
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let place = Place::new();
    let mut job = place.job("");
    for (word, said) in [
        ("no-such-agent", "no such program on the PATH"),
        ("./no-such-agent", "no such file"),
        ("/etc/passwd", "no program that can be run"),
    ] {
        job.words[0] = word.into();
        let e = run(&job, &Stop::new()).expect_err("there is none");
        assert!(
            e.to_string().contains(word) && e.to_string().contains(said),
            "{e}"
        );
        assert_eq!(e.kind(), crate::error::Kind::Usage);
    }
}

#[test]
fn a_signal_that_was_not_ours_is_told() {
    let place = Place::new();
    let ended = run(&place.job("kill -9 $$"), &Stop::new()).expect("it ran");
    assert_eq!(
        (ended.by, ended.exit_code, ended.signal),
        (By::Killed, None, Some(9))
    );
    for kind in kinds() {
        let ended = run(&place.inside(kind, "kill -9 $$"), &Stop::new()).expect("it ran");
        assert_eq!(
            (ended.by, ended.exit_code, ended.signal),
            (By::Killed, None, Some(9))
        );
        let ended = run(&place.inside(kind, "exit 41"), &Stop::new()).expect("it ran");
        assert_eq!(
            (ended.by, ended.exit_code, ended.signal),
            (By::Itself, Some(41), None)
        );
    }
}

#[test]
fn a_gigabyte_of_output_costs_neither_disk_nor_time() {
    let place = Place::new();
    let mut job = place.job("echo first; head -c 1073741824 /dev/zero; echo last");
    job.keep = 100_000;
    let ended = run(&job, &Stop::new()).expect("it ran");
    assert_eq!(ended.output, (1 << 30) + 11);
    assert_eq!(ended.dropped, ended.output - 100_000);
    let kept = fs::read(place.path("job.out")).expect("readable");
    assert!(kept.len() < 100_100 && kept.starts_with(b"first\n\0") && kept.ends_with(b"\0last\n"));
}

#[test]
fn one_that_never_ends_is_asked_and_then_ended() {
    let place = Place::new();
    let mut job = place.job("trap '' TERM; while :; do sleep 0.314; done");
    job.time = Duration::from_millis(300);
    let began = Instant::now();
    let ended = run(&job, &Stop::new()).expect("it ran");
    assert_eq!((ended.by, ended.signal), (By::Timeout, Some(9)));
    assert!(began.elapsed() >= GRACE && began.elapsed() < GRACE * 3);
    all_gone("sleep 0.314");
}

#[test]
fn one_that_is_asked_to_end_may_clean_up() {
    let place = Place::new();
    let line = "trap 'echo cleaned; exit 5' TERM; echo ready; while :; do sleep 0.1; done";
    let mut jobs = vec![place.job(line)];
    jobs.extend(kinds().into_iter().map(|k| place.inside(k, line)));
    for job in jobs {
        let stop = Stop::new();
        // What the one before printed is not this one's.
        drop(fs::remove_file(place.path("job.out")));
        let asks = {
            let (stop, out) = (stop.clone(), place.path("job.out"));
            std::thread::spawn(move || {
                let began = Instant::now();
                while began.elapsed() < Duration::from_secs(30)
                    && !fs::read(&out).is_ok_and(|t| t.starts_with(b"ready"))
                {
                    std::thread::sleep(Duration::from_millis(10));
                }
                stop.ask();
            })
        };
        let ended = run(&job, &stop).expect("it ran");
        asks.join().expect("it asked");
        assert_eq!(
            (ended.by, ended.exit_code),
            (By::Interrupt, Some(5)),
            "{:?}",
            job.sandbox
        );
        assert_eq!(place.out(), "ready\ncleaned\n");
    }
}

/// Each leaves one process that sleeps for a time nobody else sleeps.
const DAEMONS: [(&str, &str); 3] = [
    ("in its group", "sleep 9001.1 & exit 0"),
    ("in a session of its own", "setsid sleep 9002.2 & sleep 0.2"),
    (
        "without its parents",
        "(setsid sh -c 'sleep 9003.3 & ' &) ; sleep 0.2",
    ),
];

#[test]
fn daemons_are_found_wherever_they_went_and_ended() {
    let place = Place::new();
    for (how, line) in DAEMONS {
        let ended = run(&place.job(line), &Stop::new()).expect("it ran");
        let slept = line.split("sleep ").nth(1).expect("it sleeps");
        let time = slept.split(' ').next().expect("a time");
        all_gone(&format!("sleep {time}"));
        assert_eq!((ended.by, ended.exit_code), (By::Itself, Some(0)), "{how}");
        assert!(ended.left_running >= 1, "{how}: {ended:?}");
    }
}

/// Of a process without mark, group and parent nobody can say which job left it: the last job that
/// runs answers for it. So this looks from a process in which no other test has a job.
#[test]
fn one_that_threw_everything_away_is_ended_with_the_last_job() {
    const INNER: &str = "EVOLVE_TEST_ALONE";
    let name = "harness::process::tests::one_that_threw_everything_away_is_ended_with_the_last_job";
    if std::env::var_os(INNER).is_none() {
        let exe = std::env::current_exe().expect("this program");
        let mut command = Command::new(exe);
        command.args(["--exact", name]).env(INNER, "1");
        let out = command.output().expect("it ran");
        let said = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let place = Place::new();
    let line = "(env -i PATH=\"$PATH\" setsid sh -c 'sleep 9004.4 & sleep 1' &) ; sleep 1.5";
    let ended = run(&place.job(line), &Stop::new()).expect("it ran");
    all_gone("sleep 9004.4");
    assert_eq!((ended.exit_code, ended.left_running), (Some(0), 1));
}

/// The first signal asks, the second ends at once. Both are of the whole process, so this looks at
/// one that has nothing else to do.
#[test]
fn one_signal_asks_and_the_second_ends_at_once() {
    const INNER: &str = "EVOLVE_TEST_SIGNALS";
    let name = "harness::process::tests::one_signal_asks_and_the_second_ends_at_once";
    if let Some(folder) = std::env::var_os(INNER) {
        let said = PathBuf::from(&folder).join("said");
        let last = move || std::fs::write(&said, "last").expect("written");
        let stop = Stop::on_signals(last).expect("it listens");
        let words = [
            "sh",
            "-c",
            "trap '' TERM; touch ready; while :; do sleep 0.2718; done",
        ];
        let folder = PathBuf::from(folder);
        let mut job = Job::new(
            words.map(OsString::from).to_vec(),
            &folder,
            &folder.join("job"),
        );
        let path = std::env::var_os("PATH").unwrap_or_default();
        job.environment.insert("PATH".into(), path);
        let ended = run(&job, &stop).expect("it ran");
        assert_eq!((ended.by, ended.signal), (By::Interrupt, Some(9)));
        return;
    }
    for (signals, code) in [(1, 0), (2, 130)] {
        let place = Place::new();
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", name])
            .env(INNER, place.0.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it began");
        let began = Instant::now();
        while !place.path("ready").exists() && began.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let pid = Pid::from_raw(i32::try_from(child.id()).expect("small")).expect("a process");
        let asked = Instant::now();
        for _ in 0..signals {
            rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("signalled");
            std::thread::sleep(Duration::from_millis(200));
        }
        let status = child.wait().expect("it ended");
        assert_eq!(status.code(), Some(code), "{signals}");
        assert_eq!(place.path("said").exists(), signals == 2);
        let most = if signals == 2 { GRACE / 2 } else { GRACE * 2 };
        assert!(asked.elapsed() < most, "{signals}: {:?}", asked.elapsed());
        all_gone("sleep 0.2718");
    }
}

#[test]
fn a_sandbox_takes_its_daemons_with_it_and_counts_them() {
    for kind in kinds() {
        let place = Place::new();
        for (how, line) in DAEMONS {
            let line = line.replace("sleep 9", "sleep 8");
            let ended = run(&place.inside(kind, &line), &Stop::new()).expect("it ran");
            let slept = line.split("sleep ").nth(1).expect("it sleeps");
            let time = slept.split(' ').next().expect("a time");
            all_gone(&format!("sleep {time}"));
            assert_eq!(ended.exit_code, Some(0), "{kind:?} {how}");
            assert_eq!(ended.left_running, 1, "{kind:?} {how}");
        }
    }
}

#[test]
fn a_sandbox_is_no_process_that_was_left() {
    for kind in kinds() {
        let place = Place::new();
        for line in ["true", "true | true"].repeat(15) {
            let ended = run(&place.inside(kind, line), &Stop::new()).expect("it ran");
            assert_eq!(ended.left_running, 0, "{kind:?}");
        }
    }
}

#[test]
fn a_part_of_a_job_runs_in_a_sandbox_as_well() {
    for kind in kinds() {
        let place = Place::new();
        let mut job = place.inside(kind, "echo \"$EVOLVE_MARK\"");
        job.mark = format!("{}/part", "long".repeat(60));
        let ended = run(&job, &Stop::new()).expect("it ran");
        assert_eq!((ended.by, ended.exit_code), (By::Itself, Some(0)));
        assert_eq!(place.out().trim_end(), job.mark, "{kind:?}");
    }
}

#[test]
fn no_zombie_stays() {
    let place = Place::new();
    for _ in 0..3 {
        let job = place.job("(setsid sleep 0.05 &) ; (sleep 0.05 &)");
        run(&job, &Stop::new()).expect("it ran");
    }
    std::thread::sleep(Duration::from_millis(300));
    run(&place.job("true"), &Stop::new()).expect("it ran");
    let us = std::process::id().to_string();
    let mut dead = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let (name, rest) = stat.rsplit_once(") ").unwrap_or_default();
        if name.contains("(sleep") && rest.starts_with(&format!("Z {us} ")) {
            dead.push(stat);
        }
    }
    assert_eq!(dead, Vec::<String>::new());
}

#[test]
fn a_service_runs_beside_and_is_ended() {
    let place = Place::new();
    let service = start(&place.job("echo up; sleep 9005.5")).expect("it began");
    assert!(service.runs());
    let mut other = place.job("echo beside");
    other.out = place.path("other.out");
    other.err = place.path("other.err");
    let ended = run(&other, &Stop::new()).expect("it ran");
    assert_eq!((ended.exit_code, ended.left_running), (Some(0), 0));
    assert!(service.runs());
    let ended = service.end().expect("it ended");
    assert_eq!((ended.by, ended.signal), (By::Interrupt, Some(15)));
    drop(start(&place.job("sleep 9006.6")).expect("it began"));
    all_gone("sleep 9005.5");
    all_gone("sleep 9006.6");
}

#[test]
fn what_a_killed_run_left_is_found_by_its_mark() {
    let place = Place::new();
    let mut job = place.job("setsid sleep 9007.7 & sleep 9007.7");
    job.mark = "left-by-a-killed-run".to_owned();
    let running = start(&job).expect("it began");
    while processes_with("sleep 9007.7").len() < 3 && running.runs() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(end_marked("left-by-a-killed-run") >= 3);
    assert_eq!(end_marked("left-by-a-killed-run"), 0);
    all_gone("sleep 9007.7");
    running.wait(&Stop::new()).expect("it ended");
}

#[test]
fn what_a_killed_run_left_of_its_sandboxes_goes_with_its_mark() {
    let whole = format!("gate-{}", RecordId::new());
    let left = StatusFile::new(&format!("{whole}/setup-0/ready")).expect("made");
    let other = StatusFile::new(&format!("{whole}1")).expect("made");
    end_marked(&whole);
    assert!(!left.folder.exists() && other.folder.exists());

    let trials = ["old", "new"].map(|name| {
        let name = format!("git-evolve-trial-{name}-{}", RecordId::new());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).expect("made");
        folder
    });
    let then = std::time::SystemTime::now() - Duration::from_secs(3_600);
    let old = fs::File::open(&trials[0]).expect("opened");
    old.set_modified(then).expect("aged");
    works(Isolation::Bwrap);
    assert!(!trials[0].exists() && trials[1].exists());
    fs::remove_dir(&trials[1]).expect("removed");
}

/// In a container the leader of our session may be outside: the system gives 0 for its number.
#[test]
fn in_a_container_whose_session_began_outside_it_is_all_the_same() {
    let own = std::env::current_exe().expect("this program");
    let inside = |program: &std::path::Path, words: &[&str]| {
        let mut command = std::process::Command::new("unshare");
        command.args(["-r", "--pid", "--fork", "--kill-child", "--mount-proc"]);
        command.arg(program).args(words).env("RUST_BACKTRACE", "0");
        command.output()
    };
    if !inside("true".as_ref(), &[]).is_ok_and(|o| o.status.success()) {
        return skipped("no namespaces on this system");
    }
    let names = [
        "daemons_are_found_wherever_they_went_and_ended",
        "one_that_threw_everything_away_is_ended_with_the_last_job",
        "no_zombie_stays",
        "a_service_runs_beside_and_is_ended",
        "what_a_killed_run_left_is_found_by_its_mark",
    ];
    let names = names.map(|name| format!("harness::process::tests::{name}"));
    let mut words: Vec<&str> = names.iter().map(String::as_str).collect();
    words.extend(["--exact", "--test-threads=1"]);
    let ended = inside(&own, &words).expect("it ran");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{said}");
    assert!(said.contains(" 5 passed"), "{said}");
}
