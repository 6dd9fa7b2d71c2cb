//! In which form and how wide output is written.

/// The formats of everything that prints data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For a terminal.
    #[default]
    Table,
    /// RFC 4180.
    Csv,
    /// One document.
    Json,
    /// One object a line.
    JsonLines,
    /// A Markdown table.
    Markdown,
}

impl Format {
    /// Whether it is rows for programs, which have no place for remarks.
    pub fn is_rows(self) -> bool {
        matches!(self, Format::Csv | Format::JsonLines)
    }
}

/// A format and the columns a table may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The format.
    pub format: Format,
    /// Width of the terminal; 80 where there is none.
    pub columns: usize,
}

/// The title of a measure's column: its id, or a short word for the longer ones that stand in
/// tables often.
pub fn column_title(id: &str) -> &str {
    match id {
        "existing_fns_modified" => "modified",
        "fns_modified_in_old_files" => "mod-pc",
        "fns_reformatted" => "reformat",
        "fns_added" => "added",
        "fns_deleted" => "deleted",
        "files_changed" => "files",
        "files_created" => "f-new",
        "files_deleted" => "f-del",
        "lines_added" => "+lines",
        "lines_removed" => "-lines",
        "lines_net" => "±lines",
        "packages_touched" => "packages",
        "reedit_rate" => "re-edit",
        "reedit_rate_pc" => "re-ed-pc",
        "reedit_settled_rate" => "settled",
        "net_cc" => "net cc",
        "net_cognitive" => "net cog",
        "change_entropy" => "entropy",
        "erosion_scoped" => "ero-sub",
        "erosion_extreme" => "ero-30",
        "hotspot_cc" => "hot cc",
        "entry_cc" => "entry cc",
        "strict_pass" => "strict",
        "iso_pass" => "iso",
        "core_pass" => "core",
        "regressions" => "regress",
        "true_regressions" => "unintended",
        "churn_hot_share" => "hot share",
        other => other,
    }
}
