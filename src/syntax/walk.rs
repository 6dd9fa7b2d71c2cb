//! The walk over a syntax tree: a cursor and a stack of small frames, one a open node.
//!
//! No recursion (a file may nest a hundred thousand deep), no look at parents or child lists,
//! nothing allocated per node.

use tree_sitter::{Node, TreeCursor};

use super::draft::Draft;
use super::kinds::Kinds;
use super::model::Profile;

/// An open node: what it is, how far its children are through, and the nesting inside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<K> {
    /// What the node is.
    pub(super) kind: K,
    /// How far the walk is through its children; its meaning is the kind's own.
    pub(super) phase: u8,
    /// Bits that children inherit or that `leave` reads; see the rules of each language.
    pub(super) flags: u8,
    /// Cognitive nesting of what stands inside.
    pub(super) nesting: u32,
}

/// What to do after a node with children was looked at.
pub(super) enum Step<K> {
    /// Walk its children under this frame.
    Down(Frame<K>),
    /// It is dealt with.
    Over,
}

/// The counting rules of one language.
pub(super) trait Rules {
    /// The node kinds they tell apart.
    type Kind: Copy + Default + PartialEq;
    /// The kind of comments, which are passed over.
    const COMMENT: Self::Kind;

    /// Whether a node outside of functions is a statement that may be taken over whole:
    /// reading it leaves no mark but lines, names and exported types. `parent`: the kind
    /// around; `None`: the file.
    fn settles(parent: Option<Self::Kind>, kind: Self::Kind) -> bool;

    /// A node with children; the last frame is its parent's.
    fn enter(
        &mut self,
        d: &mut Draft<'_>,
        frames: &mut [Frame<Self::Kind>],
        cursor: &TreeCursor<'_>,
        node: Node<'_>,
        kind: Self::Kind,
    ) -> Step<Self::Kind>;

    /// A leaf; the last frame is its parent's.
    fn token(
        &mut self,
        d: &mut Draft<'_>,
        frames: &mut [Frame<Self::Kind>],
        cursor: &TreeCursor<'_>,
        node: Node<'_>,
        kind: Self::Kind,
    );

    /// The end of a node that `enter` went down into; the last frame is its parent's.
    fn leave(
        &mut self,
        d: &mut Draft<'_>,
        frames: &mut [Frame<Self::Kind>],
        left: Frame<Self::Kind>,
    );
}

/// Walks everything below the cursor's node.
pub(super) fn walk<R: Rules>(
    rules: &mut R,
    d: &mut Draft<'_>,
    kinds: &Kinds<R::Kind>,
    cursor: &mut TreeCursor<'_>,
    frames: &mut Vec<Frame<R::Kind>>,
) {
    frames.clear();
    frames.push(Frame {
        kind: R::Kind::default(),
        phase: 0,
        flags: 0,
        nesting: 0,
    });
    // Children of each open node that were not seen yet: to know the last one is cheaper than
    // to ask the cursor for one more.
    let mut unseen = vec![cursor.node().child_count()];
    if !cursor.goto_first_child() {
        return;
    }
    // SlopCodeBench's lines hang together beyond a statement.
    let settles = d.profile == Profile::Lizard;
    loop {
        let node = cursor.node();
        let kind = kinds.of(node.kind_id());
        if kind != R::COMMENT {
            let children = node.child_count();
            if children == 0 {
                rules.token(d, frames, cursor, node, kind);
            } else {
                let statement = settles && d.outside() && {
                    let parent = frames.last().filter(|_| frames.len() > 1);
                    R::settles(parent.map(|f| f.kind), kind)
                };
                if !(statement && d.settle(node))
                    && let Step::Down(frame) = rules.enter(d, frames, cursor, node, kind)
                {
                    if d.gave_up {
                        return;
                    }
                    if statement {
                        d.begin_statement(node, frames.len());
                    }
                    frames.push(frame);
                    unseen.push(children);
                    cursor.goto_first_child();
                    continue;
                }
            }
        }
        loop {
            let left = unseen.last_mut().map_or(0, |n| {
                *n = n.saturating_sub(1);
                *n
            });
            if left > 0 && cursor.goto_next_sibling() {
                break;
            }
            unseen.pop();
            let Some(left) = frames.pop() else { return };
            if frames.is_empty() || !cursor.goto_parent() {
                return;
            }
            rules.leave(d, frames, left);
            d.end_statement(frames.len());
        }
    }
}
