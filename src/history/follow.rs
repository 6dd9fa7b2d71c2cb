//! Functions followed through the changes of a line: what each was when a change first touched
//! it, and every version since.
//!
//! A function is its file's path, its key and, of several of one key, its place among them. A
//! renamed file takes its functions along; a changed signature is the same function, as the keys
//! pair within a file. One that goes and one that comes by the same change are the same function
//! where they are in two files and the keys are equal (it moved), or in one file and the keys
//! differ in the classes around it alone (its class was renamed); each time only where no other
//! function is in question, and the one is at most twice as long as the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Edit, FileClass, FnChange, FnChangeKind, FnScore, Functions, Status, Step};

/// A function that changes touched.
#[derive(Debug, Clone)]
pub struct Followed {
    /// Path of its file at last.
    pub path: Arc<[u8]>,
    /// Its key at last.
    pub key: Box<str>,
    /// Of several of this key in the file, which it is, from 0.
    pub nth: u32,
    /// Its name for people.
    pub name: Box<str>,
    /// What its file was at last.
    pub class: Option<FileClass>,
    /// Its scores before the first change that touched it; `None`: a change added it.
    pub first: Option<FnScore>,
    /// Its scores at last; `None`: it is gone.
    pub last: Option<FnScore>,
    /// What happened to it, oldest first; at least one.
    pub versions: Vec<Version>,
}

/// One version of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The place of the change among those followed.
    pub step: usize,
    /// What happened.
    pub what: Happened,
    /// Its scores after it; `None`: gone.
    pub score: Option<FnScore>,
}

/// What happened to a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// A change added it.
    Added,
    /// A change touched its body.
    Modified,
    /// A change touched white space and comments of it alone.
    Reformatted,
    /// A change touched it, and its signature is another: the key before.
    Resigned(Box<str>),
    /// No change touched it, and its score moved all the same.
    Rescored,
    /// A change took it out of another file: the path before.
    Moved(Arc<[u8]>),
    /// A change gave its file another path: the path before.
    Carried(Arc<[u8]>),
    /// Something between two measured changes altered it: a reset, a commit of somebody else.
    Between,
    /// A change deleted it.
    Deleted,
}

impl Happened {
    /// Whether a change wrote or took lines of it.
    pub fn is_touch(&self) -> bool {
        match self {
            Happened::Rescored | Happened::Carried(_) | Happened::Between => false,
            Happened::Added
            | Happened::Modified
            | Happened::Reformatted
            | Happened::Resigned(_)
            | Happened::Moved(_)
            | Happened::Deleted => true,
        }
    }
}

impl Followed {
    /// How many changes touched it.
    pub fn touched(&self) -> usize {
        self.versions.iter().filter(|v| v.what.is_touch()).count()
    }
}

/// Path, key, place among those of the key.
type Identity = (Arc<[u8]>, Box<str>, u32);

/// The functions that `steps` (oldest first, of one line) touched, in order of their paths at
/// last, then of their keys.
pub fn follow<'s>(steps: impl IntoIterator<Item = &'s Step>) -> Vec<Followed> {
    let mut all = Following::default();
    for (at, step) in steps.into_iter().enumerate() {
        all.step(at, step);
    }
    let mut functions = all.functions;
    functions.sort_by(|a, b| (&a.path, &a.key, a.nth).cmp(&(&b.path, &b.key, b.nth)));
    functions
}

#[derive(Default)]
struct Following {
    functions: Vec<Followed>,
    /// Where each stands in `functions`; of one that is gone, where it stood.
    here: BTreeMap<Identity, usize>,
}

/// Which edit of a change, and which function of it.
type Spot = (usize, usize);

/// A function that went in one place and came in another.
struct Move<'s> {
    /// The file it went in.
    from: &'s Arc<[u8]>,
    /// Its key there.
    key: &'s str,
    /// Where it came.
    to: Spot,
}

impl Move<'_> {
    /// What happened to what came in `edit`.
    fn happened(&self, edit: &Edit) -> Happened {
        match *self.from == edit.path {
            true => Happened::Resigned(self.key.into()),
            false => Happened::Moved(Arc::clone(self.from)),
        }
    }
}

impl Following {
    fn step(&mut self, at: usize, step: &Step) {
        let moves = moves(step);
        // Which function came where.
        let mut moved: BTreeMap<Spot, (usize, &Move<'_>)> = BTreeMap::new();
        // A deleted file's functions leave before a renamed one's take their names.
        self.leave(at, step, &moves, &mut moved, |edit| {
            edit.status == Status::Deleted
        });
        self.carry(at, step);
        self.leave(at, step, &moves, &mut moved, |edit| {
            edit.status != Status::Deleted
        });
        let mut arrived: Vec<(usize, Identity)> = Vec::new();
        for (spot, edit, change) in changes(step) {
            if change.kind == FnChangeKind::Deleted {
                continue;
            }
            let identity = (Arc::clone(&edit.path), change.key.clone(), change.nth);
            let old = change.old_key.as_ref();
            let (id, what) = match (change.kind, moved.get(&spot)) {
                (_, Some((id, moved))) => (*id, moved.happened(edit)),
                (FnChangeKind::Added, None) => (self.added(&identity, change), Happened::Added),
                (kind, None) => {
                    let id = self.find(at, &edit.path, old.unwrap_or(&change.key), change);
                    let what = match (kind, old) {
                        (_, Some(old)) => Happened::Resigned(old.clone()),
                        (FnChangeKind::Reformatted, None) => Happened::Reformatted,
                        (FnChangeKind::Rescored, None) => Happened::Rescored,
                        _ => Happened::Modified,
                    };
                    (id, what)
                }
            };
            self.happen(id, at, what, change.after, edit.new_class);
            self.functions[id].name.clone_from(&change.name);
            arrived.push((id, identity));
        }
        // Under their new names at once, since two may trade places.
        for (id, _) in &arrived {
            let f = &self.functions[*id];
            let old = (Arc::clone(&f.path), f.key.clone(), f.nth);
            if self.here.get(&old) == Some(id) {
                self.here.remove(&old);
            }
        }
        for (id, identity) in arrived {
            let f = &mut self.functions[id];
            (f.path, f.key, f.nth) = identity.clone();
            self.here.insert(identity, id);
        }
    }

    /// The functions that go by a change, of those edits that are `wanted`.
    fn leave<'m>(
        &mut self,
        at: usize,
        step: &Step,
        moves: &'m BTreeMap<Spot, Move<'m>>,
        moved: &mut BTreeMap<Spot, (usize, &'m Move<'m>)>,
        wanted: impl Fn(&Edit) -> bool,
    ) {
        for (spot, edit, change) in changes(step) {
            if change.kind != FnChangeKind::Deleted || !wanted(edit) {
                continue;
            }
            let id = self.find(at, &edit.path, &change.key, change);
            match moves.get(&spot) {
                Some(to) => {
                    moved.insert(to.to, (id, to));
                }
                None => self.happen(id, at, Happened::Deleted, None, edit.old_class),
            }
        }
    }

    /// Takes the functions of renamed files to their new paths.
    fn carry(&mut self, at: usize, step: &Step) {
        let mut carried = Vec::new();
        for edit in &step.edits {
            let Some(old) = edit.old_path.as_ref().filter(|old| **old != edit.path) else {
                continue;
            };
            let from = (Arc::clone(old), Box::from(""), 0);
            let ids: Vec<(Identity, usize)> = self
                .here
                .range(from..)
                .take_while(|((path, _, _), _)| path == old)
                .map(|(identity, id)| (identity.clone(), *id))
                .collect();
            for (identity, id) in ids {
                self.here.remove(&identity);
                carried.push((id, Arc::clone(old), edit, identity));
            }
        }
        for (id, old, edit, (_, key, nth)) in carried {
            let f = &mut self.functions[id];
            f.path = Arc::clone(&edit.path);
            f.class = edit.new_class;
            let there = f.last;
            if there.is_some() {
                f.versions.push(Version {
                    step: at,
                    what: Happened::Carried(old),
                    score: there,
                });
            }
            self.here.insert((Arc::clone(&edit.path), key, nth), id);
        }
    }

    /// The function that a change met in the file that is at `path` now, under the key it had
    /// before. One that no change touched so far begins here.
    fn find(&mut self, at: usize, path: &Arc<[u8]>, key: &str, change: &FnChange) -> usize {
        let identity = (Arc::clone(path), Box::from(key), change.old_nth);
        let id = match self.here.get(&identity) {
            Some(id) => *id,
            None => self.begin(identity, change, change.before),
        };
        let f = &mut self.functions[id];
        let known = !f.versions.is_empty();
        if known && !alike(f.last, change.before) {
            f.last = change.before;
            f.versions.push(Version {
                step: at,
                what: Happened::Between,
                score: change.before,
            });
        }
        id
    }

    /// A function that a change added: one that was here before and is gone comes back.
    fn added(&mut self, identity: &Identity, change: &FnChange) -> usize {
        match self.here.get(identity) {
            Some(id) => *id,
            None => self.begin(identity.clone(), change, None),
        }
    }

    fn begin(&mut self, identity: Identity, change: &FnChange, first: Option<FnScore>) -> usize {
        let (path, key, nth) = identity.clone();
        self.functions.push(Followed {
            path,
            key,
            nth,
            name: change.name.clone(),
            class: None,
            first,
            last: first,
            versions: Vec::new(),
        });
        let id = self.functions.len() - 1;
        self.here.insert(identity, id);
        id
    }

    fn happen(
        &mut self,
        id: usize,
        at: usize,
        what: Happened,
        score: Option<FnScore>,
        class: Option<FileClass>,
    ) {
        let f = &mut self.functions[id];
        // A file's new path is said by what happened to the function with it.
        if matches!(f.versions.last(), Some(v) if v.step == at && matches!(v.what, Happened::Carried(_)))
            && what.is_touch()
        {
            f.versions.pop();
        }
        f.last = score;
        f.class = class;
        f.versions.push(Version {
            step: at,
            what,
            score,
        });
    }
}

/// Whether two scores say the same of a function, wherever it stands.
fn alike(a: Option<FnScore>, b: Option<FnScore>) -> bool {
    let of = |s: Option<FnScore>| s.map(|s| (s.cc, s.cognitive, s.nloc));
    of(a) == of(b)
}

/// What happened to functions in a change, file by file.
fn changes(step: &Step) -> impl Iterator<Item = (Spot, &Edit, &FnChange)> {
    step.edits.iter().enumerate().flat_map(|(i, edit)| {
        let changes = match &edit.functions {
            Functions::Read(evidence) => evidence.changes.as_slice(),
            _ => &[],
        };
        let changes = changes.iter().enumerate();
        changes.map(move |(j, change)| ((i, j), edit, change))
    })
}

/// The functions that went by a change and came by it elsewhere, by where they went.
fn moves(step: &Step) -> BTreeMap<Spot, Move<'_>> {
    let mut moves = BTreeMap::new();
    let mut settled = BTreeSet::new();
    // Within a file by what the classes leave of the key, then between files by all of it.
    paired(step, &mut moves, &mut settled, |i, key| {
        (Some(i), own_part(key))
    });
    paired(step, &mut moves, &mut settled, |_, key| (None, key));
    moves
}

/// What pairs two functions: the file, where it must be one, and a part of the key.
type Name<'s> = (Option<usize>, &'s str);

fn paired<'s>(
    step: &'s Step,
    moves: &mut BTreeMap<Spot, Move<'s>>,
    settled: &mut BTreeSet<Spot>,
    name: impl Fn(usize, &'s str) -> Name<'s>,
) {
    type Side<'s> = Vec<(Spot, &'s Edit, &'s FnChange)>;
    let mut by_name: BTreeMap<Name<'_>, (Side<'_>, Side<'_>)> = BTreeMap::new();
    for (spot, edit, change) in changes(step).filter(|(spot, _, _)| !settled.contains(spot)) {
        let sides = by_name.entry(name(spot.0, &change.key)).or_default();
        match change.kind {
            FnChangeKind::Deleted => sides.0.push((spot, edit, change)),
            FnChangeKind::Added => sides.1.push((spot, edit, change)),
            _ => {}
        }
    }
    for (went, came) in by_name.values() {
        let ([(spot, from, old)], [(to, edit, new)]) = (went.as_slice(), came.as_slice()) else {
            continue;
        };
        let long = |s: Option<FnScore>| s.map_or(0, |s| s.nloc.max(1));
        let (a, b) = (long(old.before), long(new.after));
        let similar = a.max(b) <= a.min(b).saturating_mul(2);
        if from.language == edit.language && similar {
            let (from, key) = (&from.path, &*old.key);
            moves.insert(*spot, Move { from, key, to: *to });
            settled.extend([*spot, *to]);
        }
    }
}

/// A key without the classes around it: what stands behind the last `::`, or `.`, before the
/// parameters. A constructor is called as its class is.
fn own_part(key: &str) -> &str {
    let end = key.rfind('(').filter(|at| *at > 0).unwrap_or(key.len());
    let class = key[..end].rfind([':', '.']);
    let own = class.map_or(key, |at| &key[at + 1..]);
    let name = &key[class.map_or(0, |at| at + 1)..end];
    let around = class.map_or("", |at| key[..at].trim_end_matches(':'));
    match !name.is_empty() && around.rsplit('.').next() == Some(name) {
        true => &key[end..],
        false => own,
    }
}

#[cfg(test)]
mod tests {
    use super::own_part;

    #[test]
    fn what_the_classes_leave_of_a_key_is_the_name_and_the_parameters() {
        for (key, own) in [
            ("Outer.Inner::m(int,String)", "m(int,String)"),
            ("Shop::Shop(int)", "(int)"),
            ("Outer.Shop::Shop()", "()"),
            ("Class.outer.inner", "inner"),
            ("(T).run", "run"),
            ("main", "main"),
            ("A::m(java.util.List)", "m(java.util.List)"),
        ] {
            assert_eq!(own_part(key), own, "{key}");
        }
    }
}
