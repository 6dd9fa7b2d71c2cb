//! How arms are told apart: by colour, by the dashes of their line, and by their mark.

use super::canvas::at;
use super::style::ARMS;

const DASHES: [&str; ARMS] = [
    "",
    "7 3",
    "2 2.5",
    "9 3 2 3",
    "13 3",
    "5 2 1 2 1 2",
    "1 3",
    "9 2 3 2",
];

/// The number of the arm's colour in class names.
pub(super) fn colour(arm: usize) -> usize {
    arm % ARMS + 1
}

/// The dashes of its line, as an attribute with a blank in front; none for a whole line.
pub(super) fn dashes(arm: usize) -> String {
    match DASHES[(arm + arm / ARMS) % ARMS] {
        "" => String::new(),
        dashes => format!(" stroke-dasharray=\"{dashes}\""),
    }
}

/// Its mark around a place, `r` from the middle to the rim, as a part of a path.
pub(super) fn mark(arm: usize, (x, y): (f64, f64), r: f64) -> String {
    let shape = |points: &[(f64, f64)]| {
        let mut out = String::new();
        for (i, (dx, dy)) in points.iter().enumerate() {
            let letter = if i == 0 { 'M' } else { 'L' };
            out.push_str(&format!("{letter}{} {}", at(x + dx * r), at(y + dy * r)));
        }
        out + "Z"
    };
    match (arm + arm / ARMS * 3) % ARMS {
        0 => {
            let d = at(2.0 * r);
            let r1 = at(r);
            format!(
                "M{} {}a{r1} {r1} 0 1 0 {d} 0a{r1} {r1} 0 1 0 -{d} 0Z",
                at(x - r),
                at(y)
            )
        }
        1 => shape(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => shape(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
        3 => shape(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        4 => shape(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
        5 => shape(&[
            (-0.4, -1.2),
            (0.4, -1.2),
            (0.4, -0.4),
            (1.2, -0.4),
            (1.2, 0.4),
            (0.4, 0.4),
            (0.4, 1.2),
            (-0.4, 1.2),
            (-0.4, 0.4),
            (-1.2, 0.4),
            (-1.2, -0.4),
            (-0.4, -0.4),
        ]),
        6 => shape(&[(-1.1, -1.1), (1.1, -1.1), (-1.1, 1.1), (1.1, 1.1)]),
        _ => shape(&[(-1.1, -1.1), (1.1, 1.1), (1.1, -1.1), (-1.1, 1.1)]),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn many_arms_are_all_told_apart() {
        let look = |arm| (colour(arm), dashes(arm), mark(arm, (0.0, 0.0), 4.0));
        let all: BTreeSet<_> = (0..64).map(look).collect();
        assert_eq!(all.len(), 64);
        let dashes: BTreeSet<_> = (0..ARMS).map(dashes).collect();
        let marks: BTreeSet<_> = (0..ARMS).map(|a| mark(a, (0.0, 0.0), 4.0)).collect();
        assert_eq!((dashes.len(), marks.len()), (ARMS, ARMS));
    }
}
