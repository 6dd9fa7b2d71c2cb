//! Words in, words out. The only module that names clap and anyhow.
mod config;
