//! What was run and under which settings it is shown.

use std::collections::BTreeMap;

use super::{Difference, MeasureTable, Provenance, Quality};
use crate::report::{SettingsValues, Stamp};

/// A whole experiment, or several, as one asks for it.
#[derive(Debug, Clone)]
pub struct Study {
    /// By what it was made.
    pub stamp: Stamp,
    /// The settings' values; empty where chains were measured under different ones.
    pub settings: SettingsValues,
    /// The experiments' names.
    pub experiments: Vec<String>,
    /// What is compared, the baseline first.
    pub arms: Vec<StudyArm>,
    /// What the groups of `arms` are: `arm`, or the name of a factor.
    pub by: String,
    /// What the comparisons are made within, where they are: `task`, or the name of a factor.
    pub within: Option<String>,
    /// Which checkpoints the figures are of.
    pub attempts: Attempts,
    /// Every measure (and language of a measure), the arms side by side.
    pub measures: Vec<MeasureTable>,
    /// Cost against quality, and the scores of whole chains.
    pub quality: Quality,
    /// How the arms' provenance differs.
    pub differences: Vec<Difference>,
    /// What was run, the arms side by side.
    pub provenance: Vec<Provenance>,
    /// Chains and checkpoints that were not counted, and why.
    pub left_out: Vec<LeftOut>,
    /// What a reader should know.
    pub remarks: Vec<String>,
}

/// What is compared: an arm, or a level of a factor.
#[derive(Debug, Clone)]
pub struct StudyArm {
    /// Its name.
    pub name: String,
    /// True of the one that others are compared with.
    pub baseline: bool,
    /// What it stands for in a factorial design.
    pub factors: BTreeMap<String, String>,
    /// Its chains, by task and number.
    pub chains: Vec<StudyChain>,
}

/// One chain.
#[derive(Debug, Clone)]
pub struct StudyChain {
    /// How it is shown: unique, and the name of its series.
    pub label: String,
    /// Its task.
    pub task: Option<String>,
    /// Its number.
    pub number: u32,
    /// Its base commit, in full.
    pub base: String,
    /// The checkpoints that were reached, ascending.
    pub checkpoints: Vec<StudyCheckpoint>,
    /// How many the plan has for it; `None` where no plan says.
    pub planned: Option<u32>,
}

/// One checkpoint of a chain.
#[derive(Debug, Clone)]
pub struct StudyCheckpoint {
    /// Its number.
    pub number: u32,
    /// Its id in the plan.
    pub id: String,
    /// Its agent commit, in full.
    pub commit: String,
}

/// Which checkpoints figures are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempts {
    /// All that were reached.
    All,
    /// Those whose outcome is `pass`.
    Passing,
}

impl Attempts {
    /// The word in output.
    pub fn word(self) -> &'static str {
        match self {
            Attempts::All => "all",
            Attempts::Passing => "passing",
        }
    }
}

/// Something that was not counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The chain, or `chain@checkpoint`.
    pub what: String,
    /// Why.
    pub why: String,
}
