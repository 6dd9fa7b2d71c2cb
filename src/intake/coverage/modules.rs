//! The Go modules of a tree: which folder an import path is.

use std::collections::BTreeMap;

use super::paths;

/// Modules of a tree.
#[derive(Debug, Default)]
pub(super) struct GoModules {
    /// Module path and folder.
    modules: Vec<(String, String)>,
}

impl GoModules {
    /// From the texts of its `go.mod` files.
    pub(super) fn of(texts: &BTreeMap<String, String>) -> GoModules {
        let modules = texts.iter().filter_map(|(path, text)| {
            let folder = path.strip_suffix("go.mod")?.trim_end_matches('/');
            Some((declared(text)?, folder.to_owned()))
        });
        GoModules {
            modules: modules.collect(),
        }
    }

    /// Whether nothing is known of modules.
    pub(super) fn is_empty(&self) -> bool {
        self.modules.is_empty()
    }

    /// Paths that the file `name` of a package could have: in the module with the longest path,
    /// and where modules keep copies of others.
    pub(super) fn candidates(&self, name: &str) -> Vec<String> {
        let join = |folder: &str, rest: &str| match folder {
            "" => rest.to_owned(),
            _ => format!("{folder}/{rest}"),
        };
        let inside = self.modules.iter().filter_map(|(module, folder)| {
            Some((module.len(), folder, paths::under(name, module)?))
        });
        let longest = inside.clone().map(|(length, ..)| length).max();
        let own = inside.filter(|(length, ..)| Some(*length) == longest);
        let own: Vec<String> = own.map(|(_, folder, rest)| join(folder, rest)).collect();
        if !own.is_empty() {
            return own;
        }
        let copies = self.modules.iter();
        copies
            .map(|(_, folder)| join(folder, &format!("vendor/{name}")))
            .collect()
    }
}

/// The path in a `module` line.
fn declared(text: &str) -> Option<String> {
    let mut lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or("").trim());
    let path = lines.find_map(|line| {
        let rest = line.strip_prefix("module")?;
        rest.starts_with(|c: char| c.is_whitespace() || "\"`(".contains(c))
            .then(|| rest.trim())
    })?;
    // It may stand in a block of its own.
    let path = match path.strip_prefix('(') {
        Some(rest) if rest.trim().is_empty() => lines.find(|line| !line.is_empty())?,
        Some(rest) => rest.trim_end_matches(')').trim(),
        None => path,
    };
    let path = path.trim_matches(|c| c == '"' || c == '`');
    (!path.is_empty()).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(texts: &[(&str, &str)]) -> GoModules {
        let texts = texts
            .iter()
            .map(|(p, t)| ((*p).to_owned(), (*t).to_owned()));
        GoModules::of(&texts.collect())
    }

    #[test]
    fn a_module_line_is_read_in_every_form() {
        for text in [
            "module example.com/a // the shop\n",
            "// comment\n\nmodule \"example.com/a\"\n\ngo 1.19\n",
            "module\texample.com/a\r\n",
            "module `example.com/a`",
            "module (\n\texample.com/a\n)\n",
        ] {
            assert_eq!(declared(text).as_deref(), Some("example.com/a"), "{text}");
        }
        assert_eq!(declared("// module x\nmodules y\ngo 1.2\n"), None);
    }

    #[test]
    fn the_longest_module_path_decides_and_its_end_is_a_segments_end() {
        let all = modules(&[
            ("go.mod", "module example.com/shop\n"),
            ("v2/go.mod", "module example.com/shop/v2\n"),
        ]);
        assert_eq!(all.candidates("example.com/shop/v2/b.go"), ["v2/b.go"]);
        assert_eq!(all.candidates("example.com/shop/v22/b.go"), ["v22/b.go"]);
        let copies = [
            "vendor/example.com/shopping/b.go",
            "v2/vendor/example.com/shopping/b.go",
        ];
        assert_eq!(all.candidates("example.com/shopping/b.go"), copies);
    }
}
