//! Several files of one session.
