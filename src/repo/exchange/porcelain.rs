//! What `git push --porcelain` says of each ref. Only the flag is judged; the words are passed on.

/// What became of one ref of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushedRef {
    /// Its full name on the other side.
    pub name: String,
    /// Whether the other side now has what was sent (it may have had it before).
    pub there: bool,
    /// What git and the other side said of it: `[remote rejected] (hook declined)`.
    pub words: String,
}

/// Reads lines `<flag> TAB <from>:<to> TAB <summary>`; others are not about refs.
pub(super) fn read(output: &[u8]) -> Vec<PushedRef> {
    let text = String::from_utf8_lossy(output);
    let mut found: Vec<PushedRef> = Vec::new();
    for line in text.lines() {
        let mut fields = line.splitn(3, '\t');
        let (Some(flag), Some(pair), Some(words)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let Some((_, name)) = pair.rsplit_once(':') else {
            continue;
        };
        let there = match flag {
            " " | "+" | "*" | "=" | "-" => true,
            "!" => false,
            _ => continue,
        };
        // A remote with several push addresses says each ref once an address.
        match found.iter_mut().find(|f| f.name == name) {
            Some(known) if known.there && !there => {
                known.there = false;
                known.words = words.to_owned();
            }
            Some(_) => {}
            None => found.push(PushedRef {
                name: name.to_owned(),
                there,
                words: words.to_owned(),
            }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flag_says_whether_the_other_side_has_it() {
        let said = [
            "To /srv/x.git",
            "*\tabc:refs/notes/evolve/tests\t[new reference]",
            "=\tabc:refs/heads/evolve/e/a/1\t[up to date]",
            " \tabc:refs/heads/x\t1..2",
            "!\tabc:refs/notes/evolve/raw\t[remote rejected] (pre-receive hook declined)",
            "Done",
        ];
        let said = said.join("\n");
        let said = said.as_bytes();
        let all = read(said);
        let there: Vec<bool> = all.iter().map(|r| r.there).collect();
        assert_eq!(there, [true, true, true, false]);
        assert_eq!(
            all[3].words,
            "[remote rejected] (pre-receive hook declined)"
        );
        assert_eq!(all[3].name, "refs/notes/evolve/raw");
    }

    #[test]
    fn a_ref_that_one_of_two_addresses_refuses_is_not_there() {
        let said = b"To a\n*\tx:refs/heads/x\t[new]\nTo b\n!\tx:refs/heads/x\t[no]\n";
        let all = read(said);
        assert_eq!(all.len(), 1);
        assert!(!all[0].there);
        assert_eq!(all[0].words, "[no]");
    }
}
