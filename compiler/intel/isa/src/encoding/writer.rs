//! Instruction words under construction.

use std::marker::PhantomData;

use super::error::EncodeError;
use super::fields::{Field, Fields, Run};
use crate::bits::mask;

/// An instruction word under construction. The first thing that goes wrong is remembered.
#[derive(Debug)]
pub(crate) struct Writer<F: Fields> {
    fields: PhantomData<F>,
    /// The bits so far.
    halves: [u64; 2],
    /// Bits some field has claimed.
    claimed: [u64; 2],
    error: Option<EncodeError>,
}

impl<F: Fields> Writer<F> {
    /// An all-zero word.
    pub(crate) fn new() -> Writer<F> {
        Writer { fields: PhantomData, halves: [0; 2], claimed: [0; 2], error: None }
    }

    /// The word.
    ///
    /// # Errors
    /// The first field that did not take its value: the generation lacks it, the value does not
    /// fit, or another field had already put something else there.
    pub(crate) fn finish(self) -> Result<u128, EncodeError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(u128::from(self.halves[1]) << 64 | u128::from(self.halves[0])),
        }
    }

    /// Returns whether the generation has `field`.
    pub(crate) fn has(&self, field: Field) -> bool {
        F::LAYOUT.width(field) != 0
    }

    /// Sets `field` to `value`.
    #[inline]
    pub(crate) fn set(&mut self, field: Field, value: u64) {
        let span = F::LAYOUT.span(field);
        if value > span.max || span.width == 0 {
            return self.refuse(field, value as i64);
        }
        let mut fits = self.put(span.low, value);
        if span.high.width != 0 {
            fits &= self.put(span.high, value >> span.low.width);
        }
        if !fits {
            self.fail(EncodeError::Overlap { field });
        }
    }

    /// Remembers why `field` cannot have this value.
    #[cold]
    fn refuse(&mut self, field: Field, value: i64) {
        self.fail(match F::LAYOUT.width(field) {
            0 => EncodeError::NoSuchField { field },
            bits => EncodeError::DoesNotFit { field, value, bits },
        });
    }

    #[cold]
    fn fail(&mut self, error: EncodeError) {
        self.error.get_or_insert(error);
    }

    /// Sets `field` to the two's complement of `value`.
    #[inline]
    pub(crate) fn set_signed(&mut self, field: Field, value: i64) {
        let width = F::LAYOUT.width(field);
        let limit = 1i64 << width.clamp(1, 63).saturating_sub(1);
        if value < -limit || value >= limit {
            return self.refuse(field, value);
        }
        self.set(field, value as u64 & mask(width as u8));
    }

    /// Sets a one-bit field.
    #[inline]
    pub(crate) fn flag(&mut self, field: Field, value: bool) {
        self.set(field, u64::from(value));
    }

    /// Puts the low bits of `value` into a run; says whether nothing else was there.
    #[inline]
    fn put(&mut self, run: Run, value: u64) -> bool {
        let bits = run.mask << run.shift;
        let value = (value & run.mask) << run.shift;
        let half = usize::from(run.half & 1);
        let fits = (self.halves[half] ^ value) & self.claimed[half] & bits == 0;
        self.halves[half] |= value;
        self.claimed[half] |= bits;
        fits
    }
}
