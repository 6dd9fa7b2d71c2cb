//! The code that the chains of a large experiment change: units of Java and Python, kept as
//! functions with their branches, so that what a change does is known before it is measured.

use std::collections::BTreeSet;
use std::fmt::Write;

use git_evolve::stats::SplitMix64;

/// In what a unit is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Java,
    Python,
}

#[derive(Clone)]
struct Function {
    name: String,
    /// Its branches: from which count on, and what is added.
    branches: Vec<(usize, usize)>,
}

#[derive(Clone)]
struct Unit {
    language: Language,
    name: String,
    functions: Vec<Function>,
}

/// All production code of one chain.
#[derive(Clone)]
pub(super) struct Code {
    units: Vec<Unit>,
}

/// What one change is to do.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) modified: usize,
    pub(super) added: usize,
    /// The entry handler is among the modified, and what is added joins old units.
    pub(super) at_the_entry: bool,
}

/// What one change did.
#[derive(Default)]
pub(super) struct Did {
    /// Path and content of each file that is another now.
    pub(super) files: Vec<(String, String)>,
    pub(super) modified: u64,
    pub(super) added: u64,
    /// Growth of the cyclomatic complexity in Java.
    pub(super) net_cc: i64,
}

/// One branch that no other has in the same place.
fn branch(random: &mut SplitMix64) -> (usize, usize) {
    (2 + random.below(90), 1 + random.below(900))
}

impl Unit {
    fn path(&self) -> String {
        match self.language {
            Language::Java => format!("src/main/java/shop/{}.java", self.name),
            Language::Python => format!("tools/{}.py", self.name),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        match self.language {
            Language::Java => self.java(&mut text),
            Language::Python => self.python(&mut text),
        }
        .expect("text takes it");
        text
    }

    fn java(&self, text: &mut String) -> std::fmt::Result {
        let name = &self.name;
        writeln!(
            text,
            "package shop;\n\n/** What {name} knows of a price. */\npublic class {name} {{"
        )?;
        for f in &self.functions {
            writeln!(text, "\n    /** Works out {}. */", f.name)?;
            writeln!(text, "    public int {}(int amount, int count) {{", f.name)?;
            writeln!(text, "        int total = amount * count;")?;
            for (from, add) in &f.branches {
                writeln!(text, "        if (count > {from}) {{")?;
                writeln!(text, "            total += {add};\n        }}")?;
            }
            writeln!(text, "        return total;\n    }}")?;
        }
        writeln!(text, "}}")
    }

    fn python(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "\"\"\"What {} counts.\"\"\"", self.name)?;
        for f in &self.functions {
            writeln!(text, "\n\ndef {}(amount, count):", f.name)?;
            writeln!(text, "    total = amount * count")?;
            for (from, add) in &f.branches {
                writeln!(text, "    if count > {from}:\n        total += {add}")?;
            }
            writeln!(text, "    return total  # {}", f.name)?;
        }
        Ok(())
    }
}

impl Code {
    /// `java` units of six functions each, the first of them the entry handler's, and half as
    /// many of Python.
    pub(super) fn new(java: usize, random: &mut SplitMix64) -> Code {
        let mut units = Vec::new();
        for i in 0..java + java / 2 {
            let (language, name) = match i < java {
                true => (Language::Java, format!("Part{i:03}")),
                false => (Language::Python, format!("count{i:03}")),
            };
            let functions = (0..6).map(|n| Function {
                name: format!("step{n:02}"),
                branches: (0..1 + random.below(4)).map(|_| branch(random)).collect(),
            });
            units.push(Unit {
                language,
                name,
                functions: functions.collect(),
            });
        }
        units[0].name = "Desk".to_owned();
        units[0].functions[0].name = "quote".to_owned();
        Code { units }
    }

    /// Every file.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        self.units.iter().map(|u| (u.path(), u.text())).collect()
    }

    /// Changes it.
    pub(super) fn change(
        &mut self,
        checkpoint: usize,
        wanted: Wanted,
        random: &mut SplitMix64,
    ) -> Did {
        let mut did = Did::default();
        let mut chosen = BTreeSet::new();
        if wanted.at_the_entry {
            chosen.insert((0, 0));
        }
        while chosen.len() < wanted.modified.max(1) {
            let unit = random.below(self.units.len());
            chosen.insert((unit, random.below(self.units[unit].functions.len())));
        }
        let mut touched = BTreeSet::new();
        for (unit, function) in &chosen {
            touched.insert(*unit);
            let is_java = self.units[*unit].language == Language::Java;
            let branches = &mut self.units[*unit].functions[*function].branches;
            // One in five changes what is there, the others grow it.
            match random.below(5) {
                0 => branches[0].1 += 1_000,
                _ => {
                    branches.push(branch(random));
                    did.net_cc += i64::from(is_java);
                }
            }
        }
        for n in 0..wanted.added {
            let new = Function {
                name: format!("step{checkpoint:02}x{n}"),
                branches: (0..1 + random.below(3)).map(|_| branch(random)).collect(),
            };
            let unit = match wanted.at_the_entry || random.below(3) > 0 {
                true => random.below(self.units.len()),
                false => {
                    self.units.push(Unit {
                        language: Language::Java,
                        name: format!("Rule{checkpoint:03}x{n}"),
                        functions: Vec::new(),
                    });
                    self.units.len() - 1
                }
            };
            touched.insert(unit);
            if self.units[unit].language == Language::Java {
                did.net_cc += 1 + new.branches.len() as i64;
            }
            self.units[unit].functions.push(new);
        }
        did.modified = chosen.len() as u64;
        did.added = wanted.added as u64;
        let texts = touched.iter().map(|at| &self.units[*at]);
        did.files = texts.map(|unit| (unit.path(), unit.text())).collect();
        did
    }
}
