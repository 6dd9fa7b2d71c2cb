//! Any bytes as a coverage report, and the samples with any bytes in them: read without a panic,
//! within a tree or none; what was read is in order, and joined with itself it is itself.

#![no_main]

use std::io::Cursor;

use git_evolve::intake::coverage;
use git_evolve::record::{CoverageMap, Opened, Reading, TreeFacts};
use libfuzzer_sys::fuzz_target;

const SAMPLES: &[&[u8]] = &[
    include_bytes!("../../fixtures/samples/coverage/jacoco-aggregate.xml"),
    include_bytes!("../../fixtures/samples/coverage/jacoco-module.xml"),
    include_bytes!("../../fixtures/samples/coverage/cobertura-sources.xml"),
    include_bytes!("../../fixtures/samples/coverage/cobertura-coveragepy.xml"),
    include_bytes!("../../fixtures/samples/coverage/coveragepy-contexts.json"),
    include_bytes!("../../fixtures/samples/coverage/coveragepy-test-function.json"),
    include_bytes!("../../fixtures/samples/coverage/lcov-per-test.info"),
    include_bytes!("../../fixtures/samples/coverage/lcov-coveragepy.info"),
    include_bytes!("../../fixtures/samples/coverage/go-odd.out"),
];

fuzz_target!(|data: &[u8]| {
    look(data);
    // A sample with a piece of it replaced.
    let [which, a, b, c, rest @ ..] = data else {
        return;
    };
    let sample = SAMPLES[usize::from(*which) % SAMPLES.len()];
    let from = usize::from(u16::from_le_bytes([*a, *b])) % sample.len();
    let to = (from + usize::from(*c % 32)).min(sample.len());
    look(&[&sample[..from], rest, &sample[to..]].concat());
});

fn look(bytes: &[u8]) {
    let paths = [
        "a.c",
        "a/a.go",
        "api/src/main/java/org/example/util/Text.java",
        "core/src/main/java/org/example/util/Text.java",
        "kt/src/main/kotlin/shop/Cart.kt",
        "project/settings/__init__.py",
        "src/shop/cart.py",
        "testing/settings/__init__.py",
        "v2/go.mod",
        "web/app.js",
    ];
    let tree = TreeFacts {
        paths: paths.map(str::to_owned).to_vec(),
        go_mod: [(
            "v2/go.mod".to_owned(),
            String::from_utf8_lossy(bytes).into_owned(),
        )]
        .into(),
        build_root: Some("/build/shop".to_owned()),
    };
    for tree in [None, Some(&tree)] {
        let mut file = Opened {
            path: "core/target/x".to_owned(),
            modified: None,
            bytes: Box::new(Cursor::new(bytes)),
        };
        let format = coverage::identify(&mut file).map(coverage::Format::name);
        match coverage::read(&mut file, tree) {
            Reading::Read(map) => {
                assert_eq!(Some(map.format.as_str()), format);
                is_in_order(&map, tree);
            }
            Reading::Unreadable(name, _) => assert_eq!(Some(name.as_str()), format),
            Reading::Empty | Reading::Unrecognised => assert_eq!(format, None),
        }
    }
}

fn is_in_order(map: &CoverageMap, tree: Option<&TreeFacts>) {
    for (path, file) in &map.files {
        assert!(tree.is_none_or(|tree| tree.paths.contains(path)));
        assert!(file.covered.intersection(&file.missed).is_empty());
        assert_eq!(file.partial.difference(&file.covered).len(), 0);
        let executable = file.covered.union(&file.missed);
        assert!(file.excluded.intersection(&executable).is_empty());
        for (taken, total) in file.branches.iter().flat_map(|b| b.values()) {
            assert!(taken <= total && *total > 0);
        }
    }
    for (path, lines) in map
        .per_test
        .iter()
        .flat_map(|tests| tests.values().flatten())
    {
        assert_eq!(lines.difference(&map.files[path].covered).len(), 0);
    }
    assert_eq!(&map.joined(map), map);
}
