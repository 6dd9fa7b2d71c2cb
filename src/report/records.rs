//! Records joined by attempt, as JSON: each record the very bytes of its line.

use std::io::Write;

use serde::Serialize;

use super::layout::Format;
use super::log::{document, line};
use super::stamp::Stamp;
use crate::error::{Error, Result};

/// The records of one attempt, or of one commit where they are of none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Joined {
    /// The chain's path, as the records say it.
    pub chain: String,
    /// The chain's identity.
    pub begin: String,
    /// The checkpoint that is spoken of.
    pub checkpoint: u32,
    /// The checkpoint's id in the plan; null where only the commit it started from is known.
    pub checkpoint_id: Option<String>,
    /// The attempt.
    pub attempt: Option<String>,
    /// The commit: of an attempt that made one the agent commit.
    pub commit: String,
    /// Kinds, in the order they are shown, with the lines of their records.
    #[serde(skip)]
    pub records: Vec<(&'static str, Vec<Vec<u8>>)>,
}

/// Writes `all` as JSON Lines, one object an attempt, or as one document with `attempts` and
/// `remarks`. Each object has its records in `records`, by kind.
///
/// # Errors
/// What `out` says.
pub fn write(
    out: &mut dyn Write,
    stamp: &Stamp,
    all: &[Joined],
    remarks: &[String],
    format: Format,
) -> Result<()> {
    if format == Format::JsonLines {
        for joined in all {
            #[derive(Serialize)]
            struct Stamped<'a> {
                #[serde(flatten)]
                stamp: &'a Stamp,
                #[serde(flatten)]
                joined: &'a Joined,
            }
            with_records(out, &Stamped { stamp, joined }, joined)?;
            out.write_all(b"\n")?;
        }
        return Ok(());
    }
    out.write_all(&open(stamp)?)?;
    out.write_all(b",\n\"remarks\":")?;
    out.write_all(&json(&remarks)?)?;
    out.write_all(b",\n\"attempts\":[")?;
    for (at, joined) in all.iter().enumerate() {
        out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
        with_records(out, joined, joined)?;
    }
    out.write_all(b"\n]}\n")?;
    Ok(())
}

/// Writes objects that were read, each with the stamp before its own fields: one as an indented
/// document, several as an array of them; in JSON Lines one a line.
///
/// # Errors
/// What `out` says.
pub fn object(
    out: &mut dyn Write,
    stamp: &Stamp,
    all: &[serde_json::Map<String, serde_json::Value>],
    format: Format,
) -> Result<()> {
    #[derive(Serialize)]
    struct Stamped<'a> {
        #[serde(flatten)]
        stamp: &'a Stamp,
        #[serde(flatten)]
        object: &'a serde_json::Map<String, serde_json::Value>,
    }
    let stamped: Vec<Stamped<'_>> = all.iter().map(|object| Stamped { stamp, object }).collect();
    match (format, stamped.as_slice()) {
        (Format::JsonLines, all) => all.iter().try_for_each(|one| line(out, one)),
        (_, [one]) => document(out, one),
        (_, all) => document(out, &all),
    }
}

fn with_records(out: &mut dyn Write, head: &impl Serialize, joined: &Joined) -> Result<()> {
    out.write_all(&open(head)?)?;
    out.write_all(b",\"records\":{")?;
    for (at, (kind, lines)) in joined.records.iter().enumerate() {
        if at > 0 {
            out.write_all(b",")?;
        }
        out.write_all(&json(kind)?)?;
        out.write_all(b":[")?;
        out.write_all(&lines.join(&b','))?;
        out.write_all(b"]")?;
    }
    out.write_all(b"}}")?;
    Ok(())
}

/// The object of `value` without its end, so that more can follow.
fn open(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = json(value)?;
    bytes.pop();
    Ok(bytes)
}

fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|e| Error::internal("writing JSON").with_source(e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn records_stand_as_they_are_in_their_lines() {
        let stamp = Stamp {
            schema: 1,
            tool: "t".to_owned(),
            analyser: "a".to_owned(),
            definitions: "d".to_owned(),
            config: "none".to_owned(),
        };
        let joined = Joined {
            chain: "e/a/1".to_owned(),
            begin: "b".to_owned(),
            checkpoint: 1,
            checkpoint_id: None,
            attempt: Some("x".to_owned()),
            commit: "c".to_owned(),
            records: vec![
                (
                    "envelope",
                    vec![br#"{"n":1e400,"v":1}"#.to_vec(), b"{}".to_vec()],
                ),
                ("raw", Vec::new()),
            ],
        };
        let all = [joined.clone(), joined];
        let mut out = Vec::new();
        write(&mut out, &stamp, &all, &[], Format::JsonLines).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        let ends = r#""commit":"c","records":{"envelope":[{"n":1e400,"v":1},{}],"raw":[]}}"#;
        assert!(text.starts_with(r#"{"schema":1,"tool":"t","#), "{text}");
        assert!(
            text.lines().count() == 2 && text.lines().all(|l| l.ends_with(ends)),
            "{text}"
        );
        let mut out = Vec::new();
        let remarks = ["r".to_owned()];
        write(&mut out, &stamp, &all[..1], &remarks, Format::Json).expect("written");
        let text = String::from_utf8(out).expect("UTF-8").replace("1e400", "1");
        let read: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read["attempts"][0]["records"]["envelope"][0]["v"], 1);
        assert_eq!(read["remarks"][0], "r");
    }
}
