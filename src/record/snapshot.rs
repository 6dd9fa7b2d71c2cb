//! Configurations as they are kept: the plan as canonical JSON, named by what it holds.

use serde_json::{Map, Value};

use super::mask::{self, Masker};
use crate::error::{Error, Result};

/// The configuration note of `plan`: all of it as JSON, keys sorted, no blanks between tokens,
/// masked by `masker` and by the masks that know no machine. Dates become text. Equal plans give
/// equal bytes, however they are laid out.
///
/// # Errors
/// Usage where it has a number that JSON has not (`nan`, `inf`), or a credential that cannot be
/// masked without breaking it.
pub fn snapshot(plan: toml::Table, masker: &Masker) -> Result<Vec<u8>> {
    let json = json(toml::Value::Table(plan))?;
    let bytes = serde_json::to_vec(&json)
        .map_err(|e| Error::internal("writing a configuration as JSON").with_source(e))?;
    let (masked, _) = masker.bytes(&bytes);
    // What one mask leaves may be what another looks for.
    let (masked, _) = Masker::general().bytes(&masked);
    if serde_json::from_slice::<Value>(&masked).is_err() {
        return Err(Error::usage(
            "the configuration holds a credential that cannot be masked in place",
        )
        .with_hint("take it out: configurations are shared"));
    }
    Ok(masked.into_owned())
}

/// The same of the text of a plan.
///
/// # Errors
/// As [`snapshot`]; usage where the text is no TOML.
pub fn snapshot_of(text: &str, masker: &Masker) -> Result<Vec<u8>> {
    let plan = toml::from_str(text)
        .map_err(|e| Error::usage(format!("reading a plan: {}", e.message().trim())))?;
    snapshot(plan, masker)
}

fn json(value: toml::Value) -> Result<Value> {
    Ok(match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(n) => n.into(),
        toml::Value::Float(n) => serde_json::Number::from_f64(n)
            .map(Value::Number)
            .ok_or_else(|| Error::usage(format!("a configuration cannot hold the number {n}")))?,
        toml::Value::Boolean(b) => Value::Bool(b),
        toml::Value::Datetime(d) => Value::String(d.to_string()),
        toml::Value::Array(all) => Value::Array(all.into_iter().map(json).collect::<Result<_>>()?),
        toml::Value::Table(table) => Value::Object(
            table
                .into_iter()
                .map(|(key, value)| Ok((key, json(value)?)))
                .collect::<Result<Map<_, _>>>()?,
        ),
    })
}

/// SHA-256 of a configuration note, in hexadecimal, as records name it.
pub fn snapshot_digest(note: &[u8]) -> String {
    mask::sha256(note)
}

#[cfg(test)]
mod tests {
    use super::{Masker, Result, snapshot_of};

    fn snapshot(text: &str) -> Result<Vec<u8>> {
        snapshot_of(text, &Masker::general())
    }

    #[test]
    fn equal_plans_give_equal_bytes() {
        let one = snapshot("b = 1\n[measure]\nlookback = 7\nentry = 'x'\n").expect("a plan");
        let two = snapshot("# said otherwise\nmeasure = { entry = \"x\", lookback = 7 }\nb = 1\n");
        let sorted = br#"{"b":1,"measure":{"entry":"x","lookback":7}}"#;
        assert_eq!(one, sorted);
        assert_eq!(two.expect("a plan"), sorted);
    }

    #[test]
    fn what_must_not_go_out_goes_before_it_is_digested() {
        let plan = "from = '/home/ada/plan'\nday = 2026-11-30\n[env]\napi_key = 'a1b2c3d4e5f6'\n";
        let note = snapshot(plan).expect("a plan");
        assert_eq!(
            String::from_utf8(note).expect("UTF-8"),
            r#"{"day":"2026-11-30","env":{"api_key":"[masked]"},"from":"~/plan"}"#
        );
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        assert!(snapshot("[measure").is_err());
        assert!(snapshot("x = nan").is_err());
    }
}
