//! Price tables in litellm's format (`model_prices_and_context_window.json`): one object of
//! models, each an object of fields. `_meta`, where there is one, says what the table is.
//!
//! Service tiers (`_priority`, `_flex`, `_batches`), tokens of sound and pictures and
//! `tiered_pricing` are not read: a model that has nothing else has no price here.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::{Deserializer, Map, Value};

use crate::record::mask::sha256;
use crate::record::{ModelPrices, PriceTable, Rates, Usd};

/// A larger table is none.
pub const PRICES_MAX: u64 = 64 << 20;

/// Entries that are no models.
const NO_MODELS: [&str; 2] = ["_meta", "sample_spec"];

/// Reads a table out of the bytes of its file.
///
/// # Errors
/// Says what is wrong with bytes that are no such table, or one without any price.
pub fn read(bytes: &[u8]) -> Result<PriceTable, String> {
    if bytes.len() as u64 > PRICES_MAX {
        return Err("larger than 64 MiB".to_owned());
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut table = PriceTable {
        sha256: sha256(bytes),
        ..PriceTable::default()
    };
    let mut json = Deserializer::from_slice(text);
    json.deserialize_map(Entries(&mut table))
        .and_then(|()| json.end())
        .map_err(|e| format!("no JSON object of models: {e}"))?;
    if table.models.is_empty() {
        return Err("no model in it has a price for a token".to_owned());
    }
    Ok(table)
}

/// Takes one entry after the other, so that only one is in memory as JSON.
struct Entries<'t>(&'t mut PriceTable);

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some((name, entry)) = entries.next_entry::<String, Value>()? {
            let Value::Object(entry) = entry else {
                continue;
            };
            if name == NO_MODELS[0] {
                let text = |key| entry.get(key).and_then(Value::as_str).map(str::to_owned);
                self.0.source = text("source");
                self.0.version = text("source_version");
                self.0.date = text("retrieved");
            } else if !NO_MODELS.contains(&name.as_str()) {
                // As parsers of JSON do: of two entries with one name the last counts.
                match model(&entry) {
                    Some(model) => self.0.models.insert(name, model),
                    None => self.0.models.remove(&name),
                };
            }
        }
        Ok(())
    }
}

/// The prices of one entry; `None` where it has none for a token, or one that is no amount.
fn model(entry: &Map<String, Value>) -> Option<ModelPrices> {
    let mut base = Rates::default();
    let mut steps: BTreeMap<u64, Rates> = BTreeMap::new();
    let mut cache_hit = None;
    for (field, value) in entry {
        let (field, limit) = step(field);
        let rates = match limit {
            None => &mut base,
            Some(_) if rate(&mut Rates::default(), field).is_none() => continue,
            Some(limit) => steps.entry(limit).or_default(),
        };
        let place = match rate(rates, field) {
            Some(place) => place,
            None if field == "input_cost_per_token_cache_hit" => &mut cache_hit,
            None => continue,
        };
        if !value.is_null() {
            *place = Some(amount(value)?);
        }
    }
    base.cache_read = base.cache_read.or(cache_hit);
    if base.input.is_none() && base.output.is_none() {
        return None;
    }
    let search = entry
        .get("search_context_cost_per_query")
        .and_then(|sizes| sizes.get("search_context_size_medium"))
        .and_then(amount);
    Some(ModelPrices {
        provider: entry
            .get("litellm_provider")
            .and_then(Value::as_str)
            .map(str::to_owned),
        base,
        steps,
        search,
    })
}

/// A field's name without its long-context step, and the step's limit in tokens.
fn step(field: &str) -> (&str, Option<u64>) {
    let limit = |(head, tail): (&'_ str, &'_ str)| {
        let thousands: u64 = tail.strip_suffix("k_tokens")?.parse().ok()?;
        Some((head.len(), thousands.checked_mul(1000)?))
    };
    match field.rsplit_once("_above_").and_then(limit) {
        Some((head, limit)) => (&field[..head], Some(limit)),
        None => (field, None),
    }
}

/// The rate that a field without its step is about.
fn rate<'r>(rates: &'r mut Rates, field: &str) -> Option<&'r mut Option<Usd>> {
    Some(match field {
        "input_cost_per_token" => &mut rates.input,
        "output_cost_per_token" => &mut rates.output,
        "output_cost_per_reasoning_token" => &mut rates.reasoning,
        "cache_read_input_token_cost" => &mut rates.cache_read,
        "cache_creation_input_token_cost" => &mut rates.cache_write,
        "cache_creation_input_token_cost_above_1hr" => &mut rates.cache_write_1h,
        _ => return None,
    })
}

/// A price: a number that is not negative.
fn amount(value: &Value) -> Option<Usd> {
    let number = value.as_number()?.to_string();
    Usd::parse(&number).filter(|usd| !usd.is_negative())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &[u8] = include_bytes!("../../fixtures/samples/prices.json");

    fn usd(text: &str) -> Option<Usd> {
        Some(Usd::parse(text).expect("a decimal"))
    }

    #[test]
    fn the_sample_is_read_whole() {
        let table = read(SAMPLE).expect("a table");
        assert_eq!(table.models.len(), 26);
        assert_eq!(table.date.as_deref(), Some("2026-11-30"));
        assert_eq!(table.version.as_deref(), Some("litellm 1.110.2"));
        assert_eq!(table.sha256, sha256(SAMPLE));
        let haiku = &table.models["claude-haiku-5-5"];
        assert_eq!(haiku.provider.as_deref(), Some("anthropic"));
        assert_eq!(haiku.steps.len(), 1);
        let step = haiku.steps[&100_000];
        assert!(step.cache_write_1h > haiku.base.cache_write_1h);
        assert!(step.cache_write > haiku.base.cache_write);
        assert!(step.input > haiku.base.input && step.output > haiku.base.output);
        assert!(step.cache_read > haiku.base.cache_read);
        assert_eq!(table.models["claude-opus-4-8"].search, usd("0.01"));
    }

    fn one(fields: &str) -> Option<ModelPrices> {
        let text = format!("{{\"x\":{{\"input_cost_per_token\":1}},\"m\":{{{fields}}}}}");
        read(text.as_bytes()).expect("a table").models.remove("m")
    }

    #[test]
    fn steps_of_any_height_are_read_and_tiers_are_not() {
        let model = one(
            "\"input_cost_per_token\": 1e-06, \"input_cost_per_token_above_32k_tokens\": 2e-06,
             \"output_cost_per_token_above_512k_tokens\": 3e-06,
             \"cache_creation_input_token_cost_above_1hr_above_100k_tokens\": 4e-06,
             \"input_cost_per_token_above_200k_tokens_priority\": 5e-06,
             \"input_cost_per_audio_token_above_200k_tokens\": 5e-06,
             \"cache_creation_input_token_cost_above_12hr_above_272k_tokens\": 6e-06,
             \"input_cost_per_token_above_xk_tokens\": 7e-06,
             \"input_cost_per_token_batches\": 5e-07, \"input_cost_per_token_cache_hit\": 1e-07",
        )
        .expect("a price");
        let limits: Vec<u64> = model.steps.keys().copied().collect();
        assert_eq!(limits, [32_000, 100_000, 512_000]);
        assert_eq!(model.steps[&32_000].input, usd("0.000002"));
        assert_eq!(model.steps[&512_000].output, usd("0.000003"));
        assert_eq!(model.steps[&100_000].cache_write_1h, usd("0.000004"));
        assert_eq!(model.base.cache_read, usd("0.0000001"));
        assert_eq!(model.base.input, usd("0.000001"));
    }

    #[test]
    fn rates_of_seventeen_digits_keep_them_all() {
        for rate in [
            "0.0000016000000000000001",
            "3.0001999999999996e-7",
            "5.0000000000000004E-8",
        ] {
            let model = one(&format!("\"input_cost_per_token\": {rate}")).expect("a price");
            assert_eq!(model.base.input, usd(rate), "{rate}");
        }
    }

    #[test]
    fn a_model_without_a_flat_price_or_with_a_broken_one_has_none() {
        for fields in [
            "\"tiered_pricing\": [{\"input_cost_per_token\": 1e-06, \"range\": [0, 1000]}]",
            "\"input_cost_per_image\": 0.1",
            "\"input_cost_per_token\": -1e-06",
            "\"input_cost_per_token\": 1e-06, \"output_cost_per_token\": \"1e-06\"",
            "\"input_cost_per_token\": 1e-06, \"output_cost_per_token\": 1e300",
            "\"input_cost_per_token\": null",
        ] {
            assert_eq!(one(fields), None, "{fields}");
        }
        assert!(one("\"input_cost_per_token\": 0, \"output_cost_per_token\": null").is_some());
    }

    #[test]
    fn what_is_no_table_is_refused_with_the_reason() {
        for (bytes, reason) in [
            (&b""[..], "no JSON object of models"),
            (b"[]", "no JSON object of models"),
            (b"{\"m\": {}} x", "no JSON object of models"),
            (b"{\"m\": {\"mode\": \"chat\"}, \"n\": 1}", "no model in it"),
            (
                b"{\"sample_spec\": {\"input_cost_per_token\": 1}, \"_meta\": {\"source\": 7}}",
                "no model in it",
            ),
        ] {
            let error = read(bytes).expect_err("no table");
            assert!(error.starts_with(reason), "{error}");
        }
        let mut marked = b"\xEF\xBB\xBF".to_vec();
        marked.extend_from_slice(SAMPLE);
        assert_eq!(read(&marked).expect("a table").models.len(), 26);
    }
}
