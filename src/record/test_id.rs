//! Ids of tests as people type them, brought to the form that reports are read into.

/// Class and name that pytest's JUnit writer gives a node id: `tests/test_a.py::TestB::test_c[x]`
/// is `test_c[x]` of `tests.test_a.TestB`. Only this direction is exact: the way back is
/// ambiguous. A node id without `::` (a file that does not load) has no class.
pub fn mangle(node_id: &str) -> (String, String) {
    let (address, parameters) = match (node_id.find("::"), node_id.find('[')) {
        // A bracket in the path is part of it; without names there is nothing but a path.
        (Some(names), _) => match node_id[names..].find('[') {
            Some(bracket) => node_id.split_at(names + bracket),
            None => (node_id, ""),
        },
        (None, _) => (node_id, ""),
    };
    let mut parts = address.split("::");
    let path = parts.next().unwrap_or("");
    let dotted = path.replace('/', ".");
    let module = dotted.strip_suffix(".py").unwrap_or(&dotted);
    let mut all: Vec<&str> = vec![module];
    all.extend(parts);
    let last = all.pop().unwrap_or("");
    (all.join("."), visible(&format!("{last}{parameters}")))
}

/// The canonical id of what a user typed: `[module//]class::name` as it is; a pytest node id
/// (its first part ends in `.py`) mangled, as [`mangle`] does; a node id of a file alone becomes
/// the class. White space around it is dropped.
pub fn canonical(typed: &str) -> String {
    let typed = typed.trim();
    let first = typed.split("::").next().unwrap_or(typed);
    if !first.ends_with(".py") {
        return typed.to_owned();
    }
    let (module, rest) = match first.split_once("//") {
        Some((module, _)) => typed.split_at(module.len() + 2),
        None => ("", typed),
    };
    let (path, names) = match rest.split_once("::") {
        Some((path, names)) => (path, Some(names)),
        None => (rest, None),
    };
    let path = path.replace('\\', "/");
    let path = path.trim_start_matches("./");
    match names {
        Some(names) => {
            let (class, name) = mangle(&format!("{path}::{names}"));
            format!("{module}{class}::{name}")
        }
        None => format!("{module}{}", mangle(path).1),
    }
}

/// Characters that XML forbids, as pytest writes them: `#x1B`.
fn visible(name: &str) -> String {
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{80}'..='\u{fffd}' | '\u{10000}'..);
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            c if allowed(c) => out.push(c),
            c if u32::from(c) <= 0xFF => out.push_str(&format!("#x{:02X}", u32::from(c))),
            c => out.push_str(&format!("#x{:04X}", u32::from(c))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_id_is_mangled_as_pytest_does() {
        for (node, class, name) in [
            ("test_a.py::test_x", "test_a", "test_x"),
            (
                "tests/test_a.py::TestB::test_c[x]",
                "tests.test_a.TestB",
                "test_c[x]",
            ),
            ("a/b.py::C::t[x::y[z]/w.py]", "a.b.C", "t[x::y[z]/w.py]"),
            ("deep-dir/sub.d/t.py::t", "deep-dir.sub.d.t", "t"),
            ("dir[1]/test_a.py::test_x[2]", "dir[1].test_a", "test_x[2]"),
            ("docs/a.rst::a.rst", "docs.a.rst", "a.rst"),
            ("tests/test_bad.py", "", "tests.test_bad"),
            ("t.py::t[\u{1b}\u{7f}]", "t", "t[#x1B#x7F]"),
            ("t.py::t[]", "t", "t[]"),
            ("", "", ""),
        ] {
            assert_eq!(mangle(node), (class.to_owned(), name.to_owned()), "{node}");
        }
    }

    #[test]
    fn what_a_user_types_becomes_the_id_of_the_map() {
        for (typed, id) in [
            ("  org.example.A::adds ", "org.example.A::adds"),
            (
                "example.com/shop/price::TestPrice/bad",
                "example.com/shop/price::TestPrice/bad",
            ),
            ("v/sum.test.mjs::flaky", "v/sum.test.mjs::flaky"),
            (
                "tests/test_a.py::TestB::test_c[a.py::b]",
                "tests.test_a.TestB::test_c[a.py::b]",
            ),
            ("./tests/test_a.py::t", "tests.test_a::t"),
            ("tests\\test_a.py::t[a\\b]", "tests.test_a::t[a\\b]"),
            ("svc//tests/test_a.py::t", "svc//tests.test_a::t"),
            ("tests/test_a.py", "tests.test_a"),
            ("tests.test_a::t[x.py]", "tests.test_a::t[x.py]"),
        ] {
            assert_eq!(canonical(typed), id, "{typed}");
            assert_eq!(canonical(id), id, "once is enough: {id}");
        }
    }
}
