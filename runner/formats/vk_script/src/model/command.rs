//! Commands.

use super::expectation::Expectation;
use super::ids::{BufferId, PipelineId};
use super::state::Topology;
use crate::error::Span;

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Position of the command.
    pub span: Span,
    /// Line of the command, from 1.
    pub line: u32,
    /// The effect.
    pub kind: CommandKind,
}

/// The effect of a command.
#[derive(Clone, Debug, PartialEq)]
pub enum CommandKind {
    /// Runs a compute pipeline.
    Dispatch {
        /// The pipeline, whose kind is compute.
        pipeline: PipelineId,
        /// Work groups in x, y and z.
        groups: [u32; 3],
    },
    /// Runs a graphics pipeline.
    Draw {
        /// The pipeline, whose kind is graphics.
        pipeline: PipelineId,
        /// Vertices and instances.
        draw: Draw,
    },
    /// Sets a value that later clears of the pipeline use. Before that the color is
    /// (0, 0, 0, 0), the depth 1, the stencil value 0.
    SetClear {
        /// The pipeline, whose kind is graphics.
        pipeline: PipelineId,
        /// The value.
        value: ClearValue,
    },
    /// Clears all attachments of a pipeline.
    Clear {
        /// The pipeline, whose kind is graphics.
        pipeline: PipelineId,
    },
    /// Writes bytes into a buffer. The bytes are inside of the buffer.
    Write {
        /// The buffer.
        buffer: BufferId,
        /// Byte offset.
        offset: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Copies all bytes from one buffer to another of the same size.
    Copy {
        /// The source.
        from: BufferId,
        /// The destination.
        to: BufferId,
    },
    /// Repeats commands.
    Repeat {
        /// The number of times, 1 or more.
        count: u32,
        /// The commands; a `Repeat` is not among them.
        commands: Vec<Command>,
    },
    /// Compares the contents of a buffer.
    Expect(Expectation),
}

/// The value of a clear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClearValue {
    /// Red, green, blue, alpha. For integer formats the executor converts to an integer.
    Color([f32; 4]),
    /// Depth.
    Depth(f32),
    /// Stencil.
    Stencil(u32),
}

/// The vertices and instances of a draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// The primitives.
    pub topology: Topology,
    /// Where vertices come from.
    pub vertices: DrawVertices,
    /// The first vertex; indexed: the value that is added to each index (`vertexOffset`).
    pub first_vertex: u32,
    /// The first index of an indexed draw; else 0.
    pub first_index: u32,
    /// Number of vertices or indices.
    pub count: u32,
    /// Indices come from the pipeline's index buffer.
    pub indexed: bool,
    /// The first instance.
    pub first_instance: u32,
    /// Number of instances.
    pub instances: u32,
}

/// Where vertices come from.
#[derive(Clone, Debug, PartialEq)]
pub enum DrawVertices {
    /// From the vertex buffers of the pipeline. There may be none.
    Buffers,
    /// Two floats per vertex at location 0 (`R32G32_SFLOAT`), in place of the vertex buffers:
    /// [`Rectangle::positions`].
    Rectangle(Rectangle),
}

/// A rectangle in normalized device coordinates, cut into cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// Columns and rows of a grid, which is drawn as a list of triangles; `None`: the four corners.
    pub cells: Option<[u32; 2]>,
}
