//! A table of model prices as plain data: what a token of each kind costs, by model.

use std::collections::BTreeMap;

use super::Usd;

/// Prices by model, and where they come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PriceTable {
    /// What the table says it was taken from.
    pub source: Option<String>,
    /// The version of that, as it says.
    pub version: Option<String>,
    /// The day it says it was taken on.
    pub date: Option<String>,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// Every model with a price for a token, by its name in the table.
    pub models: BTreeMap<String, ModelPrices>,
}

/// What one model costs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelPrices {
    /// Who sells it, in the table's word.
    pub provider: Option<String>,
    /// The rates of a call, where no step below applies.
    pub base: Rates,
    /// Rates of calls with a long prompt, by the limit in tokens above which they apply.
    pub steps: BTreeMap<u64, Rates>,
    /// US dollars for one search, with a context of medium size.
    pub search: Option<Usd>,
}

/// US dollars for one token of each kind; `None` where the table has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rates {
    /// Of the prompt, neither read from nor written to a cache.
    pub input: Option<Usd>,
    /// Written by the model.
    pub output: Option<Usd>,
    /// The reasoning part of what was written.
    pub reasoning: Option<Usd>,
    /// Read from a cache.
    pub cache_read: Option<Usd>,
    /// Written to a cache, at the base rate.
    pub cache_write: Option<Usd>,
    /// Written to a cache for an hour.
    pub cache_write_1h: Option<Usd>,
}
