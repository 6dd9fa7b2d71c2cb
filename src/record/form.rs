//! What a record of a run may say: bounded words and numbers that can be. A line out of form is
//! bad as a whole, so that nobody counts half of it.

use std::collections::BTreeSet;

use super::run::{
    CheckRun, Configured, Contained, ContentId, Gated, Launch, Limited, Probed, SetupRun, Tampered,
};
use super::{Body, Checkpoint, Envelope, Paths};

/// Bytes of one text.
const TEXT: usize = 1 << 20;
/// Bytes of a name: of a variable, a rule, a program.
const NAME: usize = 1_024;
/// Items of a list.
const LIST: usize = 200_000;
/// Bytes, milliseconds and counts: what a number in JSON holds exactly.
const COUNT: u64 = 1 << 53;
/// Tries, turns.
const TRIES: u32 = 1_000_000;
/// US dollars.
const USD: f64 = 1e9;

type Form = Result<(), String>;

/// Whether what a record says is in form.
///
/// # Errors
/// The field that is not.
pub(super) fn check(body: &Body) -> Form {
    match body {
        Body::Checkpoint(says) => checkpoint(says),
        Body::Envelope(says) => envelope(says),
        Body::Tests(says) => says.gated.as_ref().map_or(Ok(()), gated),
        Body::Coverage(_) | Body::Raw(_) => Ok(()),
    }
}

fn checkpoint(says: &Checkpoint) -> Form {
    contents("contents", &says.contents)?;
    setups(&says.setups)?;
    optional(says.contained.as_ref(), contained)?;
    length("turns", says.turns.len())?;
    for path in says.restored.iter().flat_map(|r| &r.paths) {
        optional(path.rule.as_ref(), |w| word("rule", w))?;
    }
    if let Some(tools) = &says.tools {
        length("tools", tools.versions.len())?;
        for (program, version) in &tools.versions {
            name("tools", program)?;
            text("tools", version)?;
        }
    }
    let Some(made) = &says.provenance else {
        return Ok(());
    };
    optional(made.isolation.as_ref(), |w| word("isolation", w))?;
    optional(made.agent.as_ref(), configured)?;
    if let Some(versions) = &made.analysis {
        name("analyser", &versions.analyser)?;
        name("definitions", &versions.definitions)?;
    }
    if let Some(system) = &made.system {
        let words = [("system", &system.name), ("kernel", &system.kernel)];
        for (field, said) in words {
            optional(said.as_ref(), |w| name(field, w))?;
        }
        positive("cpus", system.cpus)?;
        positive("memory_gib", system.memory_gib)?;
    }
    Ok(())
}

fn envelope(says: &Envelope) -> Form {
    setups(&says.setups)?;
    optional(says.contained.as_ref(), contained)?;
    optional(says.launch.as_ref(), launch)?;
    optional(says.probed.as_ref(), probed)
}

fn launch(says: &Launch) -> Form {
    texts("command", &says.command)?;
    word("prompt_route", &says.prompt_route)?;
    word("isolation", &says.isolation)?;
    word("ended_by", &says.ended_by)?;
    length("environment", says.environment.len())?;
    for (variable, value) in &says.environment {
        name("environment", variable)?;
        text("environment", value)?;
    }
    names("passed", &says.passed)?;
    names("tools", &says.tools)?;
    optional(says.permission_mode.as_ref(), |m| {
        name("permission_mode", m)
    })?;
    optional(says.limits.as_ref(), limited)?;
    length("over", says.over.len())?;
    says.over.iter().try_for_each(|w| word("over", w))?;
    if says.signal.is_some_and(|n| !(1..=1024).contains(&n)) {
        return Err("a signal that is none".to_owned());
    }
    count("left_running", says.left_running)?;
    count("output", says.output)?;
    count("output_dropped", says.output_dropped)?;
    if says.output_dropped > says.output {
        return Err("more output_dropped than output".to_owned());
    }
    positive("turn", says.turn)?;
    optional(says.wrote.as_ref(), |p| paths("wrote", p))
}

fn configured(says: &Configured) -> Form {
    texts("command", &says.command)?;
    word("prompt_route", &says.prompt_route)?;
    length("environment", says.environment.len())?;
    for (variable, value) in &says.environment {
        name("environment", variable)?;
        text("environment", value)?;
    }
    names("passed", &says.passed)?;
    names("tools", &says.tools)?;
    names("repair_shows", &says.repair_shows)?;
    let words = [
        ("model", &says.model),
        ("version", &says.version),
        ("permission_mode", &says.permission_mode),
        ("on_fail", &says.on_fail),
        ("isolation", &says.isolation),
    ];
    for (field, said) in words {
        optional(said.as_ref(), |w| name(field, w))?;
    }
    optional(says.limits.as_ref(), limited)
}

fn limited(says: &Limited) -> Form {
    count("time_ms", says.time_ms)?;
    positive("attempts", Some(says.attempts))?;
    if says.turns.is_some_and(|n| n > TRIES) {
        return Err("turns out of range".to_owned());
    }
    match says.cost_usd {
        Some(usd) if !(0.0..=USD).contains(&usd) => Err("cost_usd out of range".to_owned()),
        _ => Ok(()),
    }
}

fn probed(says: &Probed) -> Form {
    names("landed", &says.landed)?;
    names("named", &says.named)?;
    text("answer", &says.answer)?;
    let landed: BTreeSet<&String> = says.landed.iter().collect();
    let named: BTreeSet<&String> = says.named.iter().collect();
    if landed.len() != says.landed.len() || named.len() != says.named.len() {
        return Err("a rule that is listed twice".to_owned());
    }
    match named.is_subset(&landed) {
        true => Ok(()),
        false => Err("a rule that is named and had not landed".to_owned()),
    }
}

fn gated(says: &Gated) -> Form {
    length("checks", says.checks.len())?;
    says.checks.iter().try_for_each(checked)?;
    length("tampered", says.tampered.len())?;
    says.tampered.iter().try_for_each(tampered)?;
    positive("attempt", says.attempt)?;
    optional(says.isolation.as_ref(), |w| word("isolation", w))?;
    contents("contents", &says.contents)?;
    optional(says.ended_by.as_ref(), |w| word("ended_by", w))?;
    count("left_running", says.left_running)?;
    setups(&says.setups)
}

fn checked(says: &CheckRun) -> Form {
    word("check", &says.check)?;
    text("of", &says.of)?;
    optional(says.why.as_ref(), |w| text("why", w))
}

fn tampered(says: &Tampered) -> Form {
    word("what", &says.what)?;
    word("how", &says.how)
}

fn contained(says: &Contained) -> Form {
    length("stubs", says.stubs.len())?;
    for stub in &says.stubs {
        count("size", stub.size)?;
        let digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if stub.sha256.len() != 64 || !stub.sha256.bytes().all(digit) {
            return Err("a stub's sha256 out of form".to_owned());
        }
    }
    let lists = [
        ("links_out", &says.links_out),
        ("special", &says.special),
        ("git_folders", &says.git_folders),
        ("too_many", &says.too_many),
    ];
    lists.iter().try_for_each(|(field, p)| paths(field, p))?;
    length("git_changed", says.git_changed.len())?;
    let mut words = says.git_changed.iter();
    words.try_for_each(|w| word("git_changed", w))
}

fn setups(all: &[SetupRun]) -> Form {
    length("setups", all.len())?;
    for says in all {
        word("of", &says.of)?;
        word("in", &says.place)?;
        word("outcome", &says.outcome)?;
        texts("command", &says.command)?;
        count("wall_ms", says.wall_ms)?;
        optional(says.console.as_ref(), |c| text("console", c))?;
    }
    Ok(())
}

fn contents(field: &str, all: &[ContentId]) -> Form {
    length(field, all.len())?;
    for says in all {
        word("role", &says.role)?;
        let of = says.checkpoint.as_ref();
        if of.is_some_and(|id| !super::is_part(id)) {
            return Err("a checkpoint id out of form".to_owned());
        }
    }
    Ok(())
}

fn paths(field: &str, says: &Paths) -> Form {
    length(field, says.first.len())?;
    count(field, says.count)?;
    match says.first.len() as u64 > says.count {
        true => Err(format!("{field} lists more than it counts")),
        false => Ok(()),
    }
}

fn optional<T: ?Sized>(said: Option<&T>, check: impl Fn(&T) -> Form) -> Form {
    said.map_or(Ok(()), check)
}

/// One lower-case word.
fn word(field: &str, said: &str) -> Form {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b);
    match (1..=64).contains(&said.len()) && said.bytes().all(plain) {
        true => Ok(()),
        false => Err(format!("{field} that is no word")),
    }
}

fn name(field: &str, said: &str) -> Form {
    match (1..=NAME).contains(&said.len()) && !said.contains('\0') {
        true => Ok(()),
        false => Err(format!("{field} out of form")),
    }
}

fn names(field: &str, said: &[String]) -> Form {
    length(field, said.len())?;
    said.iter().try_for_each(|n| name(field, n))
}

fn text(field: &str, said: &str) -> Form {
    match said.len() <= TEXT {
        true => Ok(()),
        false => Err(format!("{field} longer than {} MiB", TEXT >> 20)),
    }
}

fn texts(field: &str, said: &[String]) -> Form {
    length(field, said.len())?;
    said.iter().try_for_each(|t| text(field, t))
}

fn length(field: &str, items: usize) -> Form {
    match items <= LIST {
        true => Ok(()),
        false => Err(format!("{field} of more than {LIST} items")),
    }
}

fn count(field: &str, said: u64) -> Form {
    match said <= COUNT {
        true => Ok(()),
        false => Err(format!("{field} out of range")),
    }
}

fn positive(field: &str, said: Option<u32>) -> Form {
    match said {
        Some(n) if !(1..=TRIES).contains(&n) => Err(format!("{field} out of range")),
        _ => Ok(()),
    }
}
