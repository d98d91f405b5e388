//! Parser for .shader_test files: text to Script with spans.
