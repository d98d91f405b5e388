//! The typed program that both executors share: types, expressions, linking, layouts, active resources.
