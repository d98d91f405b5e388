//! IR to execution-unit code: models, payloads, sends, liveness, allocation, scalar and vec4 back ends.

pub mod output;
