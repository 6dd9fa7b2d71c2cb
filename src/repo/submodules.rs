//! What a `.gitmodules` file asks for.

use gix::bstr::ByteSlice;

/// Whether the text of a `.gitmodules` names a command as the update of a submodule
/// (`update = !command`): older versions of git, and whoever copies it into a configuration, would
/// run it. What cannot be read as such a file names none to git either.
pub(super) fn names_a_command(text: &[u8]) -> bool {
    let Ok(file) = gix::config::File::try_from(text.as_bstr()) else {
        return false;
    };
    let modules = file.sections_by_name("submodule").into_iter().flatten();
    let mut updates = modules.flat_map(|module| module.values("update"));
    updates.any(|update| update.trim().starts_with(b"!"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_that_is_a_command_is_found_however_it_is_written() {
        for hostile in [
            "[submodule \"a\"]\n\tpath = a\n\turl = x\n\tupdate = !touch here\n",
            "[submodule \"a\"] update=!touch\n",
            "[SubModule \"a\"]\nUpdate = \"!touch here\"\n",
            "[submodule \"a\"]\nupdate = \\\n  !touch\n",
            "[submodule \"a\"]\nupdate = merge\n[submodule \"b\"]\nupdate = !x\n",
        ] {
            assert!(names_a_command(hostile.as_bytes()), "{hostile}");
        }
        for plain in [
            "",
            "[submodule \"a\"]\nupdate = rebase\nurl = !x\n",
            "# update = !x\n",
            "[other]\nupdate = !x\n",
            "[submodule \"a\"\nupdate = !x\n",
            "\u{0}\u{1}",
        ] {
            assert!(!names_a_command(plain.as_bytes()), "{plain}");
        }
    }
}
