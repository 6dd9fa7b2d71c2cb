//! Where in a tree a test's class stands: what tells a test whose file was deleted from one that
//! did not run.

use std::collections::BTreeMap;

use super::TreeFacts;

/// The files of one tree that tests can stand in, found by class.
#[derive(Debug, Clone, Default)]
pub struct TestPlaces<'t> {
    /// Every path, for classes that are paths.
    paths: &'t [String],
    /// Python files by their dotted path, without `.py`.
    python: BTreeMap<String, &'t str>,
    /// Python test files by their stem.
    python_tests: BTreeMap<&'t str, Vec<&'t str>>,
    /// Files of languages of the Java platform by their stem.
    java: BTreeMap<&'t str, Vec<&'t str>>,
    /// Folders that hold Go test files (`""` is the root), with the first of these.
    go: BTreeMap<&'t str, &'t str>,
    /// Path of a Go module (`example.com/shop`) to its folder.
    go_modules: BTreeMap<String, String>,
}

/// Module, class and name candidates of an id: where it can be split, first `::` first.
///
/// Ids cannot be split back (`::` stands in classes and parameters), so that there are as many
/// as there are `::`.
pub fn splits(id: &str) -> impl Iterator<Item = (Option<&str>, &str, &str)> {
    let first = id.find("::").unwrap_or(id.len());
    let (module, start) = match id[..first].find("//") {
        Some(at) => (Some(&id[..at]), at + 2),
        None => (None, 0),
    };
    let ends = id.match_indices("::").map(|(at, _)| at);
    ends.filter(move |at| *at >= start)
        .map(move |at| (module, &id[start..at], &id[at + 2..]))
}

impl<'t> TestPlaces<'t> {
    /// Of the files of `tree`.
    pub fn of(tree: &'t TreeFacts) -> TestPlaces<'t> {
        let mut places = TestPlaces {
            paths: &tree.paths,
            ..TestPlaces::default()
        };
        for path in tree.paths.iter().map(String::as_str) {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if name.ends_with("_test.go") {
                places.go.entry(folder).or_insert(path);
                continue;
            }
            let Some((stem, extension)) = name.rsplit_once('.') else {
                continue;
            };
            match extension {
                "py" => {
                    let dotted = path[..path.len() - 3].replace('/', ".");
                    places.python.insert(dotted, path);
                    if stem.starts_with("test_") || stem.ends_with("_test") {
                        places.python_tests.entry(stem).or_default().push(path);
                    }
                }
                "java" | "kt" | "groovy" | "scala" => {
                    places.java.entry(stem).or_default().push(path);
                }
                _ => {}
            }
        }
        for (path, text) in &tree.go_mod {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            if let Some(module) = go_module(text) {
                places.go_modules.insert(module, folder.to_owned());
            }
        }
        places
    }

    /// The file that a class stands in:
    /// - pytest: the longest dotted prefix that is a `.py` file (from the root, or, for files
    ///   named like tests, from any one folder);
    /// - Go: the first `_test.go` of the package's folder;
    /// - Java, Kotlin, Groovy, Scala: `**/Class.java` (or another's), by package where the
    ///   folders follow it;
    /// - a class that is a path: that file.
    ///
    /// `None`: there is none, or more than one could be meant.
    pub fn file(&self, module: Option<&str>, class: &str) -> Option<&'t str> {
        let module = module.filter(|m| !m.is_empty());
        self.as_path(module, class)
            .or_else(|| self.go_package(class))
            .or_else(|| self.python_module(module, class))
            .or_else(|| self.java_class(module, class))
    }

    /// The file that the test with this id stands in; see [`TestPlaces::file`].
    pub fn file_of_id(&self, id: &str) -> Option<&'t str> {
        splits(id).find_map(|(module, class, _)| self.file(module, class))
    }

    fn as_path(&self, module: Option<&str>, class: &str) -> Option<&'t str> {
        let has = |path: &str| {
            let at = self.paths.binary_search_by(|p| p.as_str().cmp(path)).ok()?;
            Some(self.paths[at].as_str())
        };
        let below = module.and_then(|m| has(&format!("{m}/{class}")));
        below.or_else(|| has(class))
    }

    fn go_package(&self, class: &str) -> Option<&'t str> {
        // The longest module path wins, as it does for the go command.
        for end in ends(class, '/') {
            let Some(folder) = self.go_modules.get(&class[..end]) else {
                continue;
            };
            let rest = class[end..].trim_start_matches('/');
            let joined = match (folder.as_str(), rest) {
                ("", rest) => rest.to_owned(),
                (folder, "") => folder.to_owned(),
                (folder, rest) => format!("{folder}/{rest}"),
            };
            return self.go.get(joined.as_str()).copied();
        }
        if !self.go_modules.is_empty() || !class.contains('/') {
            return None;
        }
        // Nothing is known of modules: the longest end of the package's path that is a folder.
        let starts = class.match_indices('/').map(|(at, _)| &class[at + 1..]);
        std::iter::once(class)
            .chain(starts)
            .find_map(|folder| self.go.get(folder).copied())
    }

    fn python_module(&self, module: Option<&str>, class: &str) -> Option<&'t str> {
        let dotted_module = module.map(|m| m.replace('/', "."));
        for end in ends(class, '.') {
            let prefix = &class[..end];
            let below = dotted_module.as_ref();
            let below = below.and_then(|m| self.python.get(&format!("{m}.{prefix}")));
            if let Some(path) = below.or_else(|| self.python.get(prefix)) {
                return Some(path);
            }
        }
        // pytest's root may be any folder of the tree.
        for end in ends(class, '.') {
            let prefix = &class[..end];
            let stem = prefix.rsplit('.').next().unwrap_or(prefix);
            let tail = format!("/{}.py", prefix.replace('.', "/"));
            let files = self.python_tests.get(stem).map_or(&[][..], Vec::as_slice);
            let mut found = files.iter().filter(|path| path.ends_with(&tail));
            if let Some(one) = found.next() {
                return found.next().is_none().then_some(*one);
            }
        }
        None
    }

    fn java_class(&self, module: Option<&str>, class: &str) -> Option<&'t str> {
        let outer = class.split('$').next().unwrap_or(class);
        // Some writers put a dot before a nested class.
        for end in ends(outer, '.') {
            let outer = &outer[..end];
            let stem = outer.rsplit('.').next().unwrap_or(outer);
            if !stem.starts_with(char::is_uppercase) {
                continue;
            }
            let Some(files) = self.java.get(stem) else {
                continue;
            };
            let within = |path: &&&str| match module {
                Some(module) => path
                    .strip_prefix(module)
                    .is_some_and(|p| p.starts_with('/')),
                None => true,
            };
            let package = outer.replace('.', "/");
            let follows = |path: &&&str| {
                let bare = path.rsplit_once('.').map_or(**path, |(bare, _)| bare);
                let before = bare.strip_suffix(package.as_str());
                before.is_some_and(|b| b.is_empty() || b.ends_with('/'))
            };
            let exact: Vec<&str> = files
                .iter()
                .filter(within)
                .filter(follows)
                .copied()
                .collect();
            if let Some(one) = only(&exact, module) {
                return Some(one);
            }
            // A Kotlin or Groovy file need not stand in its package's folder.
            let loose = files.iter().filter(within);
            let loose: Vec<&str> = loose.filter(|p| !p.ends_with(".java")).copied().collect();
            if exact.is_empty()
                && let Some(one) = only(&loose, module)
            {
                return Some(one);
            }
        }
        None
    }
}

/// The one file there is; without a module the one of the root's own sources.
fn only<'t>(files: &[&'t str], module: Option<&str>) -> Option<&'t str> {
    if let [one] = files {
        return Some(one);
    }
    let at_root = |path: &&&str| path.starts_with("src/");
    let mut own = files.iter().filter(at_root).filter(|_| module.is_none());
    let one = own.next()?;
    own.next().is_none().then_some(*one)
}

/// Where `text` ends when its last parts are taken off one by one.
fn ends(text: &str, between: char) -> impl Iterator<Item = usize> {
    let inner = text.rmatch_indices(between).map(|(at, _)| at);
    std::iter::once(text.len())
        .chain(inner)
        .filter(|end| *end > 0)
}

/// The path that a `go.mod` gives its module.
fn go_module(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let line = line.split("//").next().unwrap_or("").trim();
        let rest = line.strip_prefix("module")?;
        let rest = rest.strip_prefix([' ', '\t', '"', '`'])?;
        let path = rest.trim().trim_matches(['"', '`']);
        (!path.is_empty()).then(|| path.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[&str]) -> TreeFacts {
        let mut paths: Vec<String> = paths.iter().map(|p| (*p).to_owned()).collect();
        paths.sort();
        TreeFacts {
            paths,
            ..TreeFacts::default()
        }
    }

    #[test]
    fn a_python_class_stands_in_its_longest_prefix_that_is_a_file() {
        let tree = tree(&[
            "tests/test_a.py",
            "tests/test_a/TestB.txt",
            "a.b/test_dot.py",
            "svc/tests/test_only.py",
            "one/test_two.py",
            "two/test_two.py",
            "tests.py",
        ]);
        let places = TestPlaces::of(&tree);
        let file = |class| places.file(None, class);
        assert_eq!(file("tests.test_a.TestB.Nested"), Some("tests/test_a.py"));
        assert_eq!(file("tests.test_a"), Some("tests/test_a.py"));
        assert_eq!(file("a.b.test_dot"), Some("a.b/test_dot.py"));
        assert_eq!(file("test_only.TestX"), Some("svc/tests/test_only.py"));
        assert_eq!(
            places.file(Some("two"), "test_two"),
            Some("two/test_two.py")
        );
        assert_eq!(file("test_two"), None, "two files could be meant");
        assert_eq!(file("tests.gone"), Some("tests.py"), "a class in tests.py");
        assert_eq!(file("test_gone"), None);
        assert_eq!(
            places.file_of_id("tests.test_a::t[a::b]"),
            Some("tests/test_a.py")
        );
    }

    #[test]
    fn a_go_package_stands_where_its_module_says() {
        let mut facts = tree(&[
            "price/price.go",
            "price/price_test.go",
            "price/z_test.go",
            "tools/x/x_test.go",
            "empty/e.go",
            "root_test.go",
        ]);
        facts.go_mod = [
            (
                "go.mod",
                "// a comment\nmodule example.com/shop // end\n\ngo 1.22\n",
            ),
            ("tools/go.mod", "module \"example.com/shop/tools\"\n"),
        ]
        .into_iter()
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .collect();
        let places = TestPlaces::of(&facts);
        let file = |class| places.file(None, class);
        assert_eq!(file("example.com/shop/price"), Some("price/price_test.go"));
        assert_eq!(file("example.com/shop"), Some("root_test.go"));
        assert_eq!(file("example.com/shop/tools/x"), Some("tools/x/x_test.go"));
        assert_eq!(file("example.com/shop/empty"), None);
        assert_eq!(file("example.com/other/price"), None);
        assert_eq!(
            places.file_of_id("example.com/shop/price::TestA/b::c"),
            Some("price/price_test.go")
        );
        facts.go_mod.clear();
        let places = TestPlaces::of(&facts);
        assert_eq!(
            places.file(None, "example.com/shop/price"),
            Some("price/price_test.go")
        );
    }

    #[test]
    fn a_java_class_stands_in_the_file_of_its_outer_class() {
        let tree = tree(&[
            "src/test/java/org/example/ATest.java",
            "core/src/test/java/org/example/ATest.java",
            "api/src/test/java/org/example/BTest.java",
            "app/src/test/kotlin/KTest.kt",
            "x/src/test/java/org/example/CTest.java",
            "y/src/test/java/org/example/CTest.java",
        ]);
        let places = TestPlaces::of(&tree);
        let at_root = "src/test/java/org/example/ATest.java";
        let file = |module, class| places.file(module, class);
        assert_eq!(file(None, "org.example.ATest$Inner$Deep"), Some(at_root));
        assert_eq!(file(None, "org.example.ATest.Inner"), Some(at_root));
        assert_eq!(
            file(Some("core"), "org.example.ATest"),
            Some("core/src/test/java/org/example/ATest.java")
        );
        assert_eq!(file(Some("core"), "org.example.BTest"), None);
        assert_eq!(
            file(None, "org.example.KTest"),
            Some("app/src/test/kotlin/KTest.kt")
        );
        assert_eq!(file(None, "org.example.CTest"), None, "two could be meant");
        assert_eq!(file(None, "org.other.ATest"), None, "Java follows packages");
        assert_eq!(
            places.file_of_id("api//org.example.BTest::m(A)[1]"),
            Some("api/src/test/java/org/example/BTest.java")
        );
    }

    #[test]
    fn a_class_that_is_a_path_is_that_file() {
        let tree = tree(&["v/sum.test.mjs", "web/v/b.test.ts"]);
        let places = TestPlaces::of(&tree);
        assert_eq!(
            places.file_of_id("v/sum.test.mjs::a"),
            Some("v/sum.test.mjs")
        );
        assert_eq!(
            places.file(Some("web"), "v/b.test.ts"),
            Some("web/v/b.test.ts")
        );
        assert_eq!(places.file(None, "sum adds 1 + 2"), None);
        assert_eq!(places.file(None, ""), None);
    }

    #[test]
    fn an_id_is_split_wherever_it_can_be() {
        let all: Vec<_> = splits("api//a::b::c").collect();
        assert_eq!(
            all,
            [(Some("api"), "a", "b::c"), (Some("api"), "a::b", "c")]
        );
        let all: Vec<_> = splits("a::GET http://x").collect();
        assert_eq!(all, [(None, "a", "GET http://x")]);
        assert_eq!(splits("nothing").count(), 0);
    }
}
