//! The walk over a syntax tree: a cursor and a stack of small frames, one a open node.
//!
//! No recursion (a file may nest a hundred thousand deep), no look at parents or child lists,
//! nothing allocated per node.

use tree_sitter::{Node, TreeCursor};

use super::draft::Draft;
use super::kinds::Kinds;

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
        node: Node<'_>,
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
    if !cursor.goto_first_child() {
        return;
    }
    loop {
        let node = cursor.node();
        let kind = kinds.of(node.kind_id());
        if kind != R::COMMENT {
            if node.child_count() == 0 {
                rules.token(d, frames, cursor, node, kind);
            } else if let Step::Down(frame) = rules.enter(d, frames, cursor, node, kind) {
                if d.gave_up {
                    return;
                }
                frames.push(frame);
                cursor.goto_first_child();
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            let Some(left) = frames.pop() else { return };
            if frames.is_empty() || !cursor.goto_parent() {
                return;
            }
            rules.leave(d, frames, left, cursor.node());
        }
    }
}
