//! Plans: what an experiment is to run, read from `evolve.toml`. Plain data; nothing is run here,
//! no repository is opened.

mod agent;
mod gate;
mod model;
mod placeholders;
mod problems;
mod reading;
mod requests;
pub mod source;
mod values;
mod yaml;

pub use agent::{Agent, Isolation, Limits, OnFail, PromptRoute, Shown, Signs};
pub use gate::{Check, Gate, Select, SuiteRun};
pub use model::{
    Arm, Base, Checkpoint, Command, Controls, Direction, Experiment, Hypothesis, Noop, OfTask,
    Overlay, Plan, Primary, Probe, Refactor, Review, Rule, Service, Setup, Spec, SpecKind, Task,
    Text, Working,
};
pub use placeholders::{Where, names as placeholder_names};
pub use reading::{PLAN_MAX, controls, read, read_alone};
pub use requests::{Mutates, Request, Requests, read_requests};
pub use values::no_pattern;
pub(crate) use yaml::read_yaml;
