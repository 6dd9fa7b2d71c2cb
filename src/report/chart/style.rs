//! The colours and rules of figures: once, for pages by variables, for files by themselves.

use std::fmt::Write;

/// A colour by what it is for: its name, on light ground, on dark ground.
struct Role(&'static str, &'static str, &'static str);

const ROLES: &[Role] = &[
    Role("ground", "#ffffff", "#0d1117"),
    Role("ink", "#1f2328", "#e6edf3"),
    Role("soft", "#57606a", "#9da7b1"),
    Role("axis", "#7d8590", "#7d8590"),
    Role("grid", "#e1e5ea", "#262c34"),
    Role("arm1", "#0060a0", "#58b2f0"),
    Role("arm2", "#cf5a00", "#f59a4c"),
    Role("arm3", "#007a59", "#3fc79a"),
    Role("arm4", "#a63d8f", "#e793d3"),
    Role("arm5", "#76620a", "#d8c452"),
    Role("arm6", "#50555c", "#b6bcc4"),
    Role("arm7", "#4f3fb0", "#aa9dff"),
    Role("arm8", "#b0132f", "#ff8591"),
    Role("heat0", "#dce8f3", "#1d2b3a"),
    Role("heat1", "#f5c182", "#5c3a12"),
    Role("heat2", "#ee9c4a", "#8f5413"),
    Role("heat3", "#d06c18", "#cb781d"),
    Role("heat4", "#983e04", "#f3a850"),
    Role("heat5", "#4a1d00", "#ffe2bd"),
];

/// How many arms have a colour of their own.
pub(super) const ARMS: usize = 8;

/// What is drawn how: selector, declarations; `$name` is the colour of a role.
const RULES: &[(&str, &str)] = &[
    (
        ".ev text",
        "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;font-size:11px;\
         fill:$ink",
    ),
    (".ev .ev-head", "font-size:13px;font-weight:600"),
    (".ev .ev-soft", "fill:$soft"),
    (".ev .ev-tick", "font-size:10px;fill:$soft"),
    (".ev .ev-strong", "font-weight:600"),
    (".ev .ev-mid", "text-anchor:middle"),
    (".ev .ev-end", "text-anchor:end"),
    (".ev-ground", "fill:$ground"),
    (".ev-grid", "fill:none;stroke:$grid;stroke-width:1"),
    (".ev-axis", "fill:none;stroke:$axis;stroke-width:1"),
    (".ev-zero", "fill:none;stroke:$ink;stroke-width:1"),
    (
        ".ev-line",
        "fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:butt",
    ),
    (
        ".ev-fine",
        "fill:none;stroke-width:1.2;stroke-linejoin:round",
    ),
    (".ev-band", "fill-opacity:.13;stroke:none"),
    (
        ".ev-edge",
        "fill:none;stroke-width:.7;stroke-opacity:.55;stroke-linejoin:round",
    ),
    (".ev-chain", "fill:none;stroke-width:.8;stroke-opacity:.6"),
    (".ev-mark", "stroke:$ground;stroke-width:.8"),
    (".ev-hit", "fill:#000;fill-opacity:0;stroke:none"),
    (".ev-sd", "stroke:$ink"),
    (".ev-fd", "fill:$ink"),
    (".ev-hollow", "fill:$ground;stroke-width:1.6"),
    (".ev-ring", "fill:none;stroke-width:1.6"),
    (".ev-thick", "fill:none;stroke-width:5"),
    (".ev-thin", "fill:none;stroke-width:1.3"),
    (".ev-blank", "fill:$ground"),
    (".ev-hatch", "fill:none;stroke:$ink;stroke-width:.9"),
    (".ev-chains", "display:none"),
];

/// Rules for pages alone: size, print, what shows the lines of single chains, and which of two
/// widths of one figure is shown where.
const PAGE: &str = ".ev{display:block;width:100%;height:auto;max-width:30rem}\
.ev-wide .ev{max-width:60rem}\
.ev-narrow{display:none}\
@media screen and (max-width:40rem){.ev-narrow{display:block}.ev-broad{display:none}}\
.ev-with-chains .ev-chains,.ev-switch:checked~.ev .ev-chains,.ev-switch:checked~* .ev-chains\
{display:inline}\
@media print{.ev{break-inside:avoid}}\n";

fn rules(out: &mut String, colour: impl Fn(&Role) -> String, all: bool) {
    let mut rule = |selector: &str, text: &str| {
        let mut text = text.to_owned();
        let coloured = text.contains('$');
        for role in ROLES {
            text = text.replace(&format!("${}", role.0), &colour(role));
        }
        if all || coloured {
            let _ = writeln!(out, "{selector}{{{text}}}");
        }
    };
    for (selector, text) in RULES {
        rule(selector, text);
    }
    for n in 1..=ARMS {
        rule(&format!(".ev-s{n}"), &format!("stroke:$arm{n}"));
        rule(&format!(".ev-f{n}"), &format!("fill:$arm{n}"));
    }
    for n in 0..=5 {
        rule(&format!(".ev-h{n}"), &format!("fill:$heat{n}"));
    }
}

/// What a page that holds figures puts in its `<style>`: the variables `--ev-ink`, `--ev-soft`,
/// `--ev-ground`, `--ev-arm1` … in light, dark (by the reader's system) and print, and the rules
/// of the figures. A page sets the variables anew after it where it has colours of its own.
pub fn page_style() -> String {
    let mut out = String::new();
    let variables = |out: &mut String, dark: bool| {
        out.push_str(":root{");
        for Role(name, light, night) in ROLES {
            let _ = write!(out, "--ev-{name}:{};", if dark { night } else { light });
        }
        out.push_str("}\n");
    };
    variables(&mut out, false);
    out.push_str("@media screen and (prefers-color-scheme:dark){");
    variables(&mut out, true);
    out.push_str("}\n");
    rules(&mut out, |role| format!("var(--ev-{})", role.0), true);
    out.push_str(PAGE);
    out
}

/// The same for a file that stands alone: no variables, which not every program that reads SVG
/// knows.
pub(super) fn file_style() -> String {
    let mut out = String::from("\n");
    rules(&mut out, |role| role.1.to_owned(), true);
    out.push_str("@media screen and (prefers-color-scheme:dark){\n");
    rules(&mut out, |role| role.2.to_owned(), false);
    out.push_str("}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, WCAG 2.1.
    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| {
            let byte = u8::from_str_radix(&colour[at..at + 2], 16).expect("two hex digits");
            let c = f64::from(byte) / 255.0;
            if c <= 0.039_28 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn grounds(name: &str) -> [(&'static str, &'static str); 2] {
        let role = |name: &str| ROLES.iter().find(|r| r.0 == name).expect("a role");
        let (one, ground) = (role(name), role("ground"));
        [(one.1, ground.1), (one.2, ground.2)]
    }

    #[test]
    fn text_and_lines_stand_out_on_both_grounds() {
        for (name, least) in [("ink", 7.0), ("soft", 4.5), ("axis", 3.0)] {
            for (colour, ground) in grounds(name) {
                assert!(contrast(colour, ground) >= least, "{name} {colour}");
            }
        }
        for arm in 1..=ARMS {
            for (colour, ground) in grounds(&format!("arm{arm}")) {
                assert!(contrast(colour, ground) >= 3.0, "arm{arm} {colour}");
            }
        }
    }

    #[test]
    fn shades_go_one_way_so_that_grey_tells_them_apart() {
        for ground in [0, 1] {
            let shades: Vec<f64> = (0..=5)
                .map(|n| luminance(grounds(&format!("heat{n}"))[ground].0))
                .collect();
            let step = |w: &[f64]| (w[0].max(w[1]) + 0.05) / (w[0].min(w[1]) + 0.05);
            assert!(shades.windows(2).all(|w| step(w) >= 1.25), "{shades:?}");
            let falls = shades.windows(2).all(|w| w[0] > w[1]);
            let rises = shades.windows(2).all(|w| w[0] < w[1]);
            assert!(falls || rises, "{shades:?}");
        }
    }

    #[test]
    fn a_file_needs_no_variables_and_a_page_no_colours_but_in_them() {
        assert!(!file_style().contains("var("));
        let page = page_style();
        let rules = page.split(".ev text").nth(1).unwrap_or_default();
        assert!(rules.contains("var(--ev-arm8)"));
        assert!(!rules.replace("fill:#000", "").contains('#'), "{rules}");
    }
}
