//! Agents: one session each, from its prompt to how it ended.
