//! SSA intermediate representation: types, operations, builder, text, validator, evaluator and passes.
