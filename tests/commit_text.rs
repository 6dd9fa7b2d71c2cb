//! Trailers, mailmaps and attributes: read as git reads them in its default configuration.

use std::io::Write as _;
use std::process::Stdio;

use git_evolve::repo::{
    Attributes, Mailmap, Marks, Oid, Person, Reader, Repo as Opened, attribute_files, trailers,
};

use crate::support::Repo;

/// A small generator of choices (SplitMix64), the same on every machine.
struct Dice(u64);

impl Dice {
    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        from[((z ^ (z >> 31)) % from.len() as u64) as usize]
    }
}

/// Runs git with `input` on its standard input.
fn git_with(repo: &Repo, args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child = repo
        .command("git", repo.path())
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|s| {
        s.spawn(move || stdin.write_all(input).expect("git reads"));
        let out = child.wait_with_output().expect("git ends");
        assert!(out.status.success(), "git {args:?}");
        out.stdout
    })
}

fn reader(repo: &Repo) -> Reader {
    let opened = Opened::discover(repo.path()).expect("found");
    opened.reader().expect("a reader")
}

#[test]
fn trailers_of_two_thousand_messages_are_those_git_finds() {
    const LINES: &[&str] = &[
        "Evolve-Chain: e/a/1",
        "Evolve-Checkpoint: 1 x",
        "Signed-off-by: A <a@b>",
        "Co-authored-by: A <a@b>",
        "(cherry picked from commit 1234567)",
        "prose of some kind",
        "more prose: with a colon",
        "https://example.invalid/x",
        "key-without-value:",
        "Spaced : value",
        "Under_score: value",
        "  indented: value",
        "\tcontinued",
        " ",
        "",
        "",
        "---",
        "# a comment: here",
        "#no: comment",
        "Conflicts:",
        "\tsrc/A.java",
        "# ------------------------ >8 ------------------------",
        "Ümlaut: value",
        ": no key",
        "A: 1\r",
        "\r",
        "Signed-off-by:no blank",
    ];
    let repo = Repo::new();
    let mut dice = Dice(1);
    let mut messages = Vec::new();
    for _ in 0..2_000 {
        let mut message = String::from("Subject");
        for _ in 0..dice.pick(&[&0, &2, &3, &4, &5, &6, &8, &10]).to_owned() {
            message.push('\n');
            // Most real messages have an empty line after the subject.
            message.push_str(dice.pick(LINES));
        }
        message.push_str(dice.pick(&["", "\n", "\n\n"]));
        messages.push(message);
    }
    let mut stream = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        let head = format!(
            "commit refs/heads/m\nmark :{}\ncommitter A <a@b> {} +0000\ndata {}\n",
            i + 1,
            1_700_000_000 + i,
            message.len()
        );
        stream.extend_from_slice(head.as_bytes());
        stream.extend_from_slice(message.as_bytes());
        stream.push(b'\n');
    }
    git_with(&repo, &["fast-import", "--quiet"], &stream);
    let log = repo.git(&[
        "log",
        "--reverse",
        "--format=%H%x01%(trailers:only=true,unfold=true)%x00",
        "m",
    ]);
    let reader = reader(&repo);
    let mut compared = 0;
    for entry in log
        .split('\0')
        .map(str::trim_start)
        .filter(|e| !e.is_empty())
    {
        let (id, by_git) = entry.split_once('\u{1}').expect("an id");
        let message = reader
            .commit(Oid::from_hex(id).expect("an id"))
            .expect("here")
            .message;
        let ours: Vec<String> = trailers(&message)
            .into_iter()
            .map(|(k, v)| format!("{k}: {v}").trim_end().to_owned())
            .collect();
        let theirs: Vec<String> = by_git
            .split('\n')
            // Git keeps a carriage return in front of a fold.
            .map(|l| l.replace('\r', "").trim_end().to_owned())
            .filter(|l| !l.is_empty())
            .collect();
        assert_eq!(ours, theirs, "{message:?}");
        compared += 1;
    }
    assert_eq!(compared, messages.len());
}

#[test]
fn trailers_do_not_hang_on_settings() {
    let repo = Repo::new();
    repo.git(&["config", "trailer.separators", "="]);
    repo.git(&["config", "core.commentChar", "E"]);
    let id = repo.commit("S\n\n---\n\nEvolve-Checkpoint: 1 a\n");
    let commit = reader(&repo)
        .commit(Oid::from_hex(&id).expect("an id"))
        .expect("here");
    assert_eq!(
        trailers(&commit.message),
        [("Evolve-Checkpoint".to_owned(), "1 a".to_owned())]
    );
}

#[test]
fn people_are_who_git_says_by_the_mailmap() {
    const LINES: &[&str] = &[
        "Ada L <ada@new> <ada@old>",
        "Ada L <ada@new> Ada <x@old>",
        "Bob <bob@x>",
        "<only@new> <only@old>",
        "Eve <eve@new> Evil <x@old> # why",
        "# comment <x@old>",
        "  Carol  <Carol@New>   <CAROL@old>",
        "Dave <> <empty@old>",
        "nonsense",
        "",
    ];
    const PEOPLE: &[(&str, &str)] = &[
        ("Ada", "ada@old"),
        ("ada", "X@OLD"),
        ("Evil", "x@old"),
        ("bob b", "BOB@x"),
        ("o", "only@old"),
        ("c", "carol@OLD"),
        ("d", "empty@old"),
        ("nobody", "no@body"),
    ];
    let repo = Repo::new();
    let asked: String = PEOPLE.iter().map(|(n, e)| format!("{n} <{e}>\n")).collect();
    let mut dice = Dice(7);
    for round in 0..25 {
        let lines: Vec<&str> = (0..6).map(|_| dice.pick(LINES)).collect();
        let text = lines.join("\n") + "\n";
        repo.write(".mailmap", &text);
        let said = git_with(&repo, &["check-mailmap", "--stdin"], asked.as_bytes());
        let map = Mailmap::from_bytes(text.as_bytes());
        let ours: String = PEOPLE
            .iter()
            .map(|(name, email)| {
                let person = Person {
                    name: (*name).to_owned(),
                    email: (*email).to_owned(),
                };
                let Person { name, email } = map.resolve(&person);
                format!("{name} <{email}>\n")
            })
            .collect();
        assert_eq!(
            ours,
            String::from_utf8_lossy(&said),
            "round {round}:\n{text}"
        );
    }
}

#[test]
fn linguist_attributes_are_those_git_reads_from_the_tree_alone() {
    const PATTERNS: &[&str] = &[
        "*.java",
        "gen/*",
        "gen/",
        "/a/**",
        "**/gen/**",
        "A.java",
        "a/gen",
        "*",
        "!x",
        "[ab]?.java",
        "deep/*/A.java",
        "\"with blank/*\"",
    ];
    const SAYS: &[&str] = &[
        "linguist-generated",
        "-linguist-generated",
        "!linguist-generated",
        "linguist-generated=true",
        "linguist-generated=false",
        "linguist-vendored",
        "-linguist-vendored linguist-generated",
        "made",
        "-made",
        "theirs",
        "binary",
        "text eol=lf",
    ];
    const PATHS: &[&str] = &[
        "A.java",
        "a/A.java",
        "a/gen/A.java",
        "gen/ab.java",
        "a/b/deep/x/A.java",
        "with blank/A.java",
        "a/gen/ab.java",
        "other.txt",
    ];
    let repo = Repo::new();
    for path in PATHS {
        repo.write(path, "x\n");
    }
    // What must have no say: the user's, the repository's own, and macros below the top.
    std::fs::write(
        repo.path().join(".git/info/attributes"),
        "* linguist-vendored\n",
    )
    .expect("it");
    repo.git(&["config", "core.attributesFile", ".git/info/attributes"]);
    let asked: Vec<u8> = PATHS
        .iter()
        .flat_map(|p| [p.as_bytes(), b"\0"].concat())
        .collect();
    let mut dice = Dice(3);
    for round in 0..40 {
        for folder in ["", "a/", "a/gen/", "a/b/"] {
            let mut text = String::new();
            if dice.pick(&[&true, &false]).to_owned() {
                text.push_str(
                    "[attr]made linguist-generated\n[attr]theirs linguist-vendored made\n",
                );
            }
            for _ in 0..3 {
                text.push_str(&format!("{} {}\n", dice.pick(PATTERNS), dice.pick(SAYS)));
            }
            repo.write(&format!("{folder}.gitattributes"), text);
        }
        repo.commit("round");
        let reader = reader(&repo);
        let (tree, _) = reader.tree_at("HEAD").expect("a tree");
        let files = reader.files(tree).expect("files");
        let attributes = Attributes::read(&reader, &attribute_files(&files)).expect("readable");
        // Git itself, where nothing but the tree can have a say.
        std::fs::rename(repo.path().join(".git/info"), repo.path().join(".git/off"))
            .expect("moved");
        let said = git_with(
            &repo,
            &[
                "check-attr",
                "-z",
                "--stdin",
                "--source=HEAD",
                "linguist-generated",
                "linguist-vendored",
            ],
            &asked,
        );
        std::fs::rename(repo.path().join(".git/off"), repo.path().join(".git/info")).expect("back");
        let said = String::from_utf8(said).expect("UTF-8");
        let words: Vec<&str> = said.split_terminator('\0').collect();
        for (path, answer) in PATHS.iter().zip(words.chunks(6)) {
            let read = |word: &str| match word {
                "unspecified" => None,
                "unset" | "false" => Some(false),
                _ => Some(true),
            };
            let theirs = Marks {
                generated: read(answer[2]),
                vendored: read(answer[5]),
            };
            let ours = attributes.marks(path.as_bytes());
            assert_eq!(ours, theirs, "round {round}, {path}");
        }
    }
}

#[test]
fn a_tree_without_linguist_attributes_has_none() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.sh text eol=lf\n");
    repo.commit("one");
    let reader = reader(&repo);
    let (tree, _) = reader.tree_at("HEAD").expect("a tree");
    let found = attribute_files(&reader.files(tree).expect("files"));
    assert_eq!(found.len(), 1);
    let attributes = Attributes::read(&reader, &found).expect("readable");
    assert!(attributes.is_empty());
    assert_eq!(attributes.marks(b"x.sh"), Marks::default());
}
