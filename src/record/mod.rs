//! Plain data written down when something happens. Knows neither git nor code.

mod identity;

pub use identity::{ChainPath, Role, is_part};
