//! What a sandbox shows, and what runs inside cannot do.

use super::*;

#[test]
fn a_sandbox_shows_what_it_is_to_show_and_nothing_else() {
    for kind in kinds() {
        let place = Place::new();
        let secret = Place::new();
        fs::write(secret.path("key"), "secret").expect("written");
        let shown = Place::new();
        fs::write(shown.path("open"), "open\n").expect("written");
        fs::create_dir(shown.path("closed")).expect("made");
        fs::write(shown.path("closed/key"), "secret").expect("written");
        let (secret_at, shown_at) = (secret.path("key"), shown.0.path().display().to_string());
        let line = format!(
            "cat {} {shown_at}/closed/key; cat {shown_at}/open; echo w >{shown_at}/new; \
             echo w >/etc/new; echo w >/new; echo mine >mine; echo t >/tmp/t; cat /tmp/t mine; \
             ls /root /home; umount /tmp; umount -l {shown_at}/closed; cat {shown_at}/closed/key; \
             mount -o remount,rw /usr; echo >/usr/new; \
             ls / | grep -c old; ls -d /proc/[0-9]* | wc -l; test -e /proc/{}/stat; echo $?; id -u",
            secret_at.display(),
            std::process::id().max(1_000_000),
        );
        let mut job = place.inside(kind, &line);
        if let Some(sandbox) = &mut job.sandbox {
            sandbox.readable.push(shown.0.path().to_owned());
            sandbox.hidden.push(shown.path("closed"));
        }
        let ended = run(&job, &Stop::new()).expect("it ran");
        assert_eq!(ended.exit_code, Some(0), "{kind:?}");
        let (out, err) = (
            place.out(),
            fs::read_to_string(place.path("job.err")).expect("readable"),
        );
        assert!(!out.contains("secret"), "{kind:?}: {out}");
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(
            lines[..4],
            ["open", "t", "mine", "0"],
            "{kind:?}: {out}\n{err}"
        );
        assert!(
            lines[4].parse::<u32>().is_ok_and(|n| n < 12),
            "{kind:?}: {out}"
        );
        assert_eq!(lines[5], "1", "{kind:?}");
        assert_eq!(lines[6], rustix::process::getuid().as_raw().to_string());
        assert!(place.path("mine").exists());
        for path in [
            shown.path("new"),
            "/etc/new".into(),
            "/new".into(),
            "/usr/new".into(),
        ] {
            assert!(!path.exists(), "{kind:?}: {}", path.display());
        }
    }
}

#[test]
fn without_network_there_is_none() {
    for kind in kinds() {
        let place = Place::new();
        let mut job = place.inside(kind, "cat /proc/net/dev | grep -vc 'lo:\\||'");
        for (network, most) in [(false, 0), (true, 1_000)] {
            if let Some(sandbox) = &mut job.sandbox {
                sandbox.network = network;
            }
            run(&job, &Stop::new()).expect("it ran");
            let devices: u32 = place.out().trim().parse().expect("a number");
            assert!(devices <= most, "{kind:?}: {devices}");
        }
    }
}

#[test]
fn a_program_that_the_sandbox_hides_is_named() {
    for kind in kinds() {
        let place = Place::new();
        let elsewhere = Place::new();
        let program = elsewhere.path("agent");
        fs::copy("/bin/true", &program).expect("copied");
        let mut job = place.inside(kind, "");
        job.words = vec![program.clone().into_os_string()];
        let e = run(&job, &Stop::new()).expect_err("it is hidden");
        let said = e.to_string();
        assert!(
            said.contains("agent: the sandbox does not show it"),
            "{kind:?}: {said}"
        );
    }
}

#[test]
fn what_runs_in_a_sandbox_cannot_say_that_it_did_not_begin() {
    // The frame's shell has the file open, under a number of its own choice.
    let forge = |write: &str| {
        format!(
            "for f in /proc/$PPID/fd/*; do case $f in */[0124]) ;; *) ({write} >$f) ;; esac; done; \
             kill -9 $PPID; exit 3"
        )
    };
    for kind in kinds() {
        for words in ["echo missing", ":", "head -c 9000000 /dev/zero"] {
            let place = Place::new();
            let ended = run(&place.inside(kind, &forge(words)), &Stop::new());
            let ended = ended.expect("it began");
            assert_ne!(ended.exit_code, Some(0), "{kind:?} {words}: {ended:?}");
        }
    }
}

#[test]
fn what_runs_in_a_sandbox_has_no_terminal() {
    // Of ours, whether this test has one or not: the session is another.
    for kind in kinds() {
        let place = Place::new();
        let job = place.inside(
            kind,
            "cut -d' ' -f6 /proc/self/stat; (: </dev/tty) || echo none",
        );
        run(&job, &Stop::new()).expect("it ran");
        let out = place.out();
        let is_own = kind == Isolation::Namespaces || !out.starts_with("0\n");
        assert!(is_own && out.ends_with("none\n"), "{kind:?}: {out}");
    }
}

#[test]
fn odd_paths_are_shown_as_they_are() {
    for kind in kinds() {
        let place = Place::new();
        let folder = place.path("a b\n'%s' \\040\u{e4}");
        fs::create_dir_all(folder.join("ro")).expect("made");
        let mut job = place.inside(kind, "echo w >f; echo w >ro/f; cat f");
        job.folder = folder.clone();
        if let Some(sandbox) = &mut job.sandbox {
            sandbox.writable = vec![folder.clone()];
            sandbox.readable = vec![folder.join("ro")];
        }
        let ended = run(&job, &Stop::new()).expect("it ran");
        let err = fs::read_to_string(place.path("job.err")).expect("readable");
        assert_eq!(
            (ended.exit_code, place.out().as_str()),
            (Some(0), "w\n"),
            "{kind:?}: {err}"
        );
        assert!(
            folder.join("f").exists() && !folder.join("ro/f").exists(),
            "{kind:?}"
        );
    }
}
