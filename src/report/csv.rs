//! Comma-separated records as RFC 4180 has them, lines ended by a line feed.

use std::io::Write;

use crate::error::Result;

/// Writes one record.
///
/// # Errors
/// What `out` says.
pub(super) fn record<'a>(
    out: &mut dyn Write,
    fields: impl IntoIterator<Item = &'a str>,
) -> Result<()> {
    for (i, field) in fields.into_iter().enumerate() {
        if i > 0 {
            out.write_all(b",")?;
        }
        if field.contains([',', '"', '\n', '\r']) {
            write!(out, "\"{}\"", field.replace('"', "\"\""))?;
        } else {
            out.write_all(field.as_bytes())?;
        }
    }
    out.write_all(b"\n")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_quotes_has_them() {
        let mut out = Vec::new();
        record(&mut out, ["a", "b,c", "d\"e", "", "f\ng"]).expect("written");
        assert_eq!(out, b"a,\"b,c\",\"d\"\"e\",,\"f\ng\"\n");
    }
}
