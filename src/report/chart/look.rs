//! How a figure is to look.

/// How a figure is to look. What is not said here follows from the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// What every id in the figure begins with; has to be the figure's own in its page.
    /// Letters, digits, `-` and `_`; others become `-`.
    pub id: String,
    /// Width of the figure in its own units, of which text is 12 high: 280 to 1600. Figures of
    /// 360 are readable on a telephone and in a column of print.
    pub width: u32,
    /// Whether its heading stands in the figure; without it, only in `<title>`.
    pub heading: bool,
    /// Whether the lines of single chains are in it, hidden until the page shows them
    /// (`docs/modules.md`).
    pub chains: bool,
}

impl Look {
    /// The narrowest and the widest.
    pub(super) const WIDTHS: (u32, u32) = (280, 1600);

    /// A figure with heading and chains, 360 wide.
    pub fn new(id: &str) -> Look {
        Look {
            id: id.to_owned(),
            width: 360,
            heading: true,
            chains: true,
        }
    }

    /// The same in another width.
    #[must_use]
    pub fn wide(mut self, width: u32) -> Look {
        self.width = width;
        self
    }

    /// The same without a heading.
    #[must_use]
    pub fn bare(mut self) -> Look {
        self.heading = false;
        self
    }

    /// The same without lines of single chains.
    #[must_use]
    pub fn without_chains(mut self) -> Look {
        self.chains = false;
        self
    }

    /// The width in its bounds.
    pub(super) fn span(&self) -> f64 {
        f64::from(self.width.clamp(Look::WIDTHS.0, Look::WIDTHS.1))
    }

    /// The id, fit for XML and CSS.
    pub(super) fn own_id(&self) -> String {
        let fit = |c: char| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '-'
            }
        };
        let id: String = self.id.chars().map(fit).collect();
        if id.starts_with(|c: char| c.is_ascii_alphabetic()) {
            id
        } else {
            format!("f{id}")
        }
    }
}
