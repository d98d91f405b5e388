//! Values of the typed program as trees of SSA values.

use ir::Value;

use crate::error::LowerError;

/// A value of any type: a scalar or vector is one SSA value; a matrix is the list of its columns,
/// an array of its elements, a structure of its members. Opaque values are 32-bit slot numbers.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    /// Scalar, vector or opaque.
    Leaf(Value),
    /// Columns, elements or members.
    List(Vec<Val>),
}

impl Val {
    /// The SSA value of a scalar, vector or opaque.
    pub(crate) fn leaf(&self) -> Result<Value, LowerError> {
        match self {
            Val::Leaf(value) => Ok(*value),
            Val::List(_) => Err(LowerError::Malformed("an aggregate where a vector is needed")),
        }
    }

    /// Columns, elements or members.
    pub(crate) fn list(&self) -> Result<&[Val], LowerError> {
        match self {
            Val::List(list) => Ok(list),
            Val::Leaf(_) => Err(LowerError::Malformed("a vector where an aggregate is needed")),
        }
    }

    /// All SSA values in order.
    pub(crate) fn leaves(&self) -> Vec<Value> {
        let mut out = Vec::new();
        self.collect(&mut out);
        out
    }

    fn collect(&self, out: &mut Vec<Value>) {
        match self {
            Val::Leaf(value) => out.push(*value),
            Val::List(list) => list.iter().for_each(|v| v.collect(out)),
        }
    }

    /// Applies a function to every SSA value.
    pub(crate) fn try_map(
        &self,
        f: &mut impl FnMut(Value) -> Result<Value, LowerError>,
    ) -> Result<Val, LowerError> {
        Ok(match self {
            Val::Leaf(value) => Val::Leaf(f(*value)?),
            Val::List(list) => {
                Val::List(list.iter().map(|v| v.try_map(f)).collect::<Result<_, _>>()?)
            }
        })
    }
}

impl From<Value> for Val {
    fn from(value: Value) -> Val {
        Val::Leaf(value)
    }
}
