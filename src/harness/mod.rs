//! Makes chains: what drives a run and writes its commits.

mod attach;
mod begin;
mod capture;
mod configuration;
mod controls;
mod credentials;
pub mod demo;
mod earlier;
mod gate;
mod globs;
mod ignored;
mod known;
mod message;
mod own_work;
mod payloads;
mod pending;
mod reset;
mod said;
mod session_files;
mod sessions;
mod surroundings;
mod taking;
mod turn;
mod workplace;
mod written;

pub use attach::{Attach, attach};
pub use begin::{Begin, abandon, begin};
pub use capture::{Record, record};
pub use gate::GateSaid;
pub use globs::files_below;
pub use message::{Place, agent_message, base_message, plain_base_message, reset_message};
pub use payloads::Captured;
pub use pending::{Before, InHand, Move, Pending, Phase, Surroundings, commits_file};
pub use reset::{Reset, reset};
pub use sessions::SessionSaid;
pub use workplace::Say;
