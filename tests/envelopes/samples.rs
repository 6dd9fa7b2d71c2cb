//! Every sample as it is.

use super::{differences, read, samples, signals, told};

#[test]
fn every_sample_is_read_as_expected() {
    let mut wrong = Vec::new();
    for sample in samples() {
        let reading = read(&[&sample.bytes]);
        let found = told(&reading);
        for what in differences(&found, &sample.expected) {
            wrong.push(format!("{}: {what}", sample.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_reduced_transcripts_give_the_signals() {
    let mut seen = 0;
    for sample in samples() {
        let Some(expected) = sample.expected.get("signals") else {
            continue;
        };
        seen += 1;
        let found = told(&read(&[&sample.bytes]));
        let found = signals::of(&found["transcript"]);
        assert_eq!(&found, expected, "{}", sample.name);
    }
    assert!(seen >= 3);
}
