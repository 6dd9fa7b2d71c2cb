//! Any JSON value, given piece by piece: what is of another type than expected is passed over, and
//! nothing is kept.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A piece of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Piece<'p> {
    /// An array or object begins.
    Open,
    /// It ends.
    Close,
    /// The key of what follows.
    Key(&'p str),
    /// A whole number.
    Number(i64),
    /// A string.
    Text(&'p str),
    /// Anything else.
    Other,
}

/// Gives the pieces of a value to a function, with the number of arrays and objects they are in.
pub(super) struct Pieces<'f>(pub(super) &'f mut dyn FnMut(usize, Piece<'_>));

impl<'de> DeserializeSeed<'de> for Pieces<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(Walk(self.0, 0))
    }
}

struct Walk<'f>(&'f mut dyn FnMut(usize, Piece<'_>), usize);

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        (self.0)(self.1, Piece::Other);
        Ok(())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        (self.0)(self.1, Piece::Number(number));
        Ok(())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        (self.0)(
            self.1,
            i64::try_from(number).map_or(Piece::Other, Piece::Number),
        );
        Ok(())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        // What a writer without integers prints: 12.0.
        let whole = number.fract() == 0.0 && number.abs() < 9e15;
        let piece = whole.then_some(Piece::Number(number as i64));
        (self.0)(self.1, piece.unwrap_or(Piece::Other));
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        (self.0)(self.1, Piece::Text(text));
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        (self.0)(self.1, Piece::Other);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        (self.0)(self.1, Piece::Open);
        while seq
            .next_element_seed(Walk(&mut *self.0, self.1 + 1))?
            .is_some()
        {}
        (self.0)(self.1, Piece::Close);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        (self.0)(self.1, Piece::Open);
        while let Some(key) = map.next_key::<String>()? {
            (self.0)(self.1 + 1, Piece::Key(&key));
            map.next_value_seed(Walk(&mut *self.0, self.1 + 1))?;
        }
        (self.0)(self.1, Piece::Close);
        Ok(())
    }
}
