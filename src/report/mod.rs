//! Values written down: tables, CSV, JSON, Markdown, explanations. Computes nothing, prints
//! nothing: everything goes to the writer that is handed in.

mod catalogue;
mod chains;
mod change;
pub mod chart;
mod check;
mod codes;
mod compare;
mod csv;
mod diff;
mod figure;
mod hooks;
mod integrity;
mod layout;
mod listing;
mod log;
mod number;
mod page;
mod quality;
mod reason;
mod records;
mod show;
mod show_markdown;
mod show_tests;
mod slope;
mod slope_table;
mod sparkline;
mod stamp;
mod study;
mod table;
mod text;
mod trees;
mod trend;

pub use catalogue::{explain, manual, measures};
pub use chains::{ChainRow, ChainsView, write as write_chains};
pub use change::{Change, TIDY};
pub use check::{CheckItem, CheckView, CheckedChange, CheckedLimit, write as write_check};
pub use codes::{code, in_order};
pub use compare::write as write_study;
pub use diff::inline_diff;
pub use figure::{Remarks, UNDEFINED, UNKNOWN};
pub use hooks::{HookRow, HooksView, write as write_hooks};
pub use layout::{Format, Layout, column_title};
pub use listing::{Column, Field, List, Listing, write as write_listing};
pub use log::{LogView, write as write_log};
pub use number::{exact, short, signed};
pub use page::{
    CellValue, ChainValues, CommitUrl, Expected, Finding, Headline, HeadlineKind, Hypothesis,
    Judgement, PageFormat, Regression, Report, ValueTable, data_files, figure_files, headlines,
    write as write_report,
};
pub use quality::sentences;
pub use records::{Joined, object as write_object, write as write_records};
pub use show::{ShowView, Standing, Texts, write as write_show};
pub use slope::{SlopeView, write as write_slopes};
pub use sparkline::sparkline;
pub use stamp::{SCHEMA, SettingsValues, Stamp, date, time};
pub use study::{
    ArmFigure, Attempts, Declared, Difference, FrontArm, HeatCell, HeatMap, HeatRow, LeftOut,
    MeasureTable, Pair, Part, Provenance, Quality, Score, Study, StudyArm, StudyChain,
    StudyCheckpoint, Total,
};
pub use table::{Align, Cell, Table, Tone};
pub use text::{counted, decoded, fit, hex_where_needed, shown, visible, width, wrap};
pub use trees::{Ending, unread_line, write_files, write_functions, write_lines};
pub use trend::{CompareRow, Grouping, SlopeRow};
