//! A page as blocks, before it is written as HTML or Markdown.

use super::super::chart::Svg;
use super::model::ValueTable;

/// A whole page.
#[derive(Debug, Clone, Default)]
pub(super) struct Document<'r> {
    pub title: String,
    pub lead: Vec<Inline>,
    pub sections: Vec<Section<'r>>,
    pub foot: Vec<Vec<Inline>>,
}

/// A part of it, with a heading.
#[derive(Debug, Clone)]
pub(super) struct Section<'r> {
    pub id: String,
    pub title: String,
    pub blocks: Vec<Block<'r>>,
}

/// What stands in a part.
#[derive(Debug, Clone)]
pub(super) enum Block<'r> {
    /// A paragraph.
    Para(Vec<Inline>),
    /// A paragraph that must not be overlooked.
    Warning(Vec<Inline>),
    /// A verdict: its word, its tone, and what it says.
    Verdict(String, Tone, Vec<Inline>),
    /// Findings: the word of each, its tone, what it says, what it rests on.
    Findings(Vec<(String, Tone, Vec<Inline>, String)>),
    /// Points.
    Bullets(Vec<Vec<Inline>>),
    /// Words and what they mean.
    Terms(Vec<Term>),
    /// A table.
    Table(Table),
    /// Every value of a measure.
    Values(&'r ValueTable, Vec<String>),
    /// A drawing, as the inside of a page has it.
    Figure(Figure),
    /// A drawing, and the table that says it in numbers.
    Beside(Figure, Table),
    /// What is opened to be seen.
    Details {
        id: String,
        summary: Vec<Inline>,
        open: bool,
        blocks: Vec<Block<'r>>,
    },
    /// One measure.
    Card(Box<Card<'r>>),
}

/// One measure with all that is said of it.
#[derive(Debug, Clone)]
pub(super) struct Card<'r> {
    pub id: String,
    pub title: String,
    pub sub: Vec<Inline>,
    pub blocks: Vec<Block<'r>>,
}

/// A drawing.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    pub id: String,
    pub svg: String,
    /// It takes all the room there is.
    pub wide: bool,
    /// What it shows, of one that keeps its size on a small screen and is moved there.
    pub moved: Option<String>,
    /// The same drawn for a narrow screen.
    pub narrow: Option<String>,
}

/// A word and what it means.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub id: String,
    pub word: Vec<Inline>,
    pub meaning: Vec<Vec<Inline>>,
}

/// Words in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inline {
    Text(String),
    Strong(String),
    Code(String),
    /// Words with more to them.
    Titled(String, String),
    /// Words in a tone.
    Toned(String, Tone),
    /// The next line of a cell.
    Break,
    /// A place in this page.
    Jump(String, String),
    /// A place elsewhere: words, address, title.
    Link(String, String, String),
}

/// How words are meant. Every tone has its own words too: colour alone says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Tone {
    #[default]
    Plain,
    Better,
    Worse,
    Open,
    Faint,
}

/// A table.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub id: String,
    pub caption: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
    pub notes: Vec<String>,
}

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub title: String,
    pub number: bool,
}

/// A cell.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    pub inlines: Vec<Inline>,
    /// It names its row.
    pub head: bool,
}

impl Figure {
    /// What a drawing is in a page.
    pub(super) fn of(id: impl Into<String>, svg: &Svg) -> Figure {
        Figure {
            id: id.into(),
            svg: svg.inline(),
            wide: false,
            moved: None,
            narrow: None,
        }
    }

    /// The same, as wide as there is room.
    #[must_use]
    pub(super) fn wide(mut self) -> Figure {
        self.wide = true;
        self
    }

    /// The same with its size kept on a small screen; `label` names what is moved.
    #[must_use]
    pub(super) fn moved(mut self, label: &str) -> Figure {
        self.moved = Some(label.to_owned());
        self
    }

    /// The same, and what stands in its place on a narrow screen.
    #[must_use]
    pub(super) fn or_narrow(mut self, svg: &Svg) -> Figure {
        self.narrow = Some(svg.inline());
        self
    }
}

impl Table {
    pub(super) fn new(id: impl Into<String>, caption: impl Into<String>) -> Table {
        Table {
            id: id.into(),
            caption: caption.into(),
            ..Table::default()
        }
    }

    #[must_use]
    pub(super) fn words(mut self, title: impl Into<String>) -> Table {
        self.columns.push(Column {
            title: title.into(),
            number: false,
        });
        self
    }

    #[must_use]
    pub(super) fn number(mut self, title: impl Into<String>) -> Table {
        self.columns.push(Column {
            title: title.into(),
            number: true,
        });
        self
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl Cell {
    /// The cell that names its row.
    pub(super) fn head(inlines: impl Into<Inline>) -> Cell {
        Cell {
            inlines: vec![inlines.into()],
            head: true,
        }
    }

    pub(super) fn of(inlines: Vec<Inline>) -> Cell {
        Cell {
            inlines,
            head: false,
        }
    }
}

impl<T: Into<Inline>> From<T> for Cell {
    fn from(inline: T) -> Cell {
        Cell::of(vec![inline.into()])
    }
}

impl From<String> for Inline {
    fn from(text: String) -> Inline {
        Inline::Text(text)
    }
}

impl From<&str> for Inline {
    fn from(text: &str) -> Inline {
        Inline::Text(text.to_owned())
    }
}

/// A paragraph of plain words.
pub(super) fn para<'r>(text: impl Into<Inline>) -> Block<'r> {
    Block::Para(vec![text.into()])
}

/// Words with an id after them.
pub(super) fn code(text: impl Into<String>) -> Inline {
    Inline::Code(text.into())
}
