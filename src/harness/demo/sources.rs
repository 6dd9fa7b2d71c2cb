//! The demonstration's fixtures, built into the program: it needs nothing but itself.

/// Path (in a work tree) and content.
pub(super) type Source = (&'static str, &'static str);

/// The text of a file under `fixtures/demo`.
macro_rules! fixture {
    ($path:expr) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/fixtures/demo/",
            $path
        ))
    };
}

/// A table of files under one folder of `fixtures/demo`, each named by its path in the work
/// tree.
macro_rules! sources {
    ($folder:literal: $($path:literal),* $(,)?) => {
        &[$(($path, fixture!(concat!($folder, "/", $path)))),*]
    };
}

/// Who does what.
pub(super) const PLAN: &str = fixture!("plan.toml");

/// The project as it stands on `main`.
pub(super) const PROJECT: &[Source] = sources!["project":
    "README.md",
    "REQUESTS.md",
    "pom.xml",
    "src/main/java/nursery/Customer.java",
    "src/main/java/nursery/Item.java",
    "src/main/java/nursery/Kind.java",
    "src/main/java/nursery/Money.java",
    "src/main/java/nursery/Order.java",
    "src/main/java/nursery/OrderDesk.java",
    "src/main/java/nursery/Printer.java",
    "src/main/java/nursery/Quote.java",
    "src/main/java/nursery/ShelfTag.java",
    "src/test/java/nursery/AcceptanceTest.java",
    "src/test/java/nursery/OrderTest.java",
    "src/test/java/nursery/PrinterTest.java",
];

/// The plan of the experiment.
pub(super) const EXPERIMENT: &str = fixture!("evolve.toml");

/// What the base of arm `layered` adds.
pub(super) const LAYERED_BASE: &[Source] = sources!["layered/base":
    "AGENTS.md",
];

/// What the base of arm `composed` adds or replaces.
pub(super) const COMPOSED_BASE: &[Source] = sources!["composed/base":
    "AGENTS.md",
    "src/main/java/nursery/OrderDesk.java",
    "src/main/java/nursery/Rule.java",
    "src/main/java/nursery/RuleBook.java",
    "src/main/java/nursery/rules/GoodsRule.java",
];

/// The edit scripts of arm `layered`, one a checkpoint.
pub(super) const LAYERED_EDITS: &[&str] = &[
    fixture!("layered/01-bulk.edits"),
    fixture!("layered/02-delivery.edits"),
    fixture!("layered/03-member.edits"),
    fixture!("layered/04-packing.edits"),
    fixture!("both/05-sorting.edits"),
    fixture!("both/06-rounding.edits"),
    fixture!("layered/07-voucher.edits"),
    fixture!("layered/08-island.edits"),
    fixture!("both/09-tidy.edits"),
    fixture!("layered/10-winter.edits"),
];

/// The edit scripts of arm `composed`, one a checkpoint.
pub(super) const COMPOSED_EDITS: &[&str] = &[
    fixture!("composed/01-bulk.edits"),
    fixture!("composed/02-delivery.edits"),
    fixture!("composed/03-member.edits"),
    fixture!("composed/04-packing.edits"),
    fixture!("both/05-sorting.edits"),
    fixture!("both/06-rounding.edits"),
    fixture!("composed/07-voucher.edits"),
    fixture!("composed/08-island.edits"),
    fixture!("both/09-tidy.edits"),
    fixture!("composed/10-winter.edits"),
];

/// What the agent of arm `layered` answers to probes, by checkpoint.
pub(super) const LAYERED_ANSWERS: &[(usize, &str)] = &[
    (5, fixture!("layered/05-probe.answer")),
    (10, fixture!("layered/10-probe.answer")),
];

/// What the agent of arm `composed` answers to probes, by checkpoint.
pub(super) const COMPOSED_ANSWERS: &[(usize, &str)] = &[
    (5, fixture!("composed/05-probe.answer")),
    (10, fixture!("composed/10-probe.answer")),
];
