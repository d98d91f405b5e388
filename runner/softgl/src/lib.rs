//! The GL machine: buffers, vertex fetch, primitives, rasteriser, framebuffers and probes.
