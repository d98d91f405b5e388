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

impl Draw {
    /// The draw of a rectangle or of a grid.
    pub(crate) fn rectangle(topology: Topology, rectangle: Rectangle) -> Draw {
        Draw {
            topology,
            vertices: DrawVertices::Rectangle(rectangle),
            first_vertex: 0,
            first_index: 0,
            count: rectangle.count(),
            indexed: false,
            first_instance: 0,
            instances: 1,
        }
    }
}

impl Rectangle {
    /// The rectangle of a position and a size in pixels of a framebuffer.
    pub(crate) fn in_pixels(area: [f32; 4], framebuffer: [u32; 2]) -> Rectangle {
        let [frame_width, frame_height] = framebuffer.map(|size| size as f32);
        let [x, y, width, height] = area;
        Rectangle {
            x: x / frame_width * 2.0 - 1.0,
            y: y / frame_height * 2.0 - 1.0,
            width: width / frame_width * 2.0,
            height: height / frame_height * 2.0,
            cells: None,
        }
    }

    /// Number of vertices.
    pub fn count(&self) -> u32 {
        self.cells.map_or(4, |[columns, rows]| columns.saturating_mul(rows).saturating_mul(6))
    }

    /// Positions of the vertices: the corners bottom left, top left, bottom right, top right for a
    /// strip, or two triangles for each cell, row by row.
    pub fn positions(&self) -> Vec<[f32; 2]> {
        let Some([columns, rows]) = self.cells else {
            let (right, bottom) = (self.x + self.width, self.y + self.height);
            return vec![[self.x, bottom], [self.x, self.y], [right, bottom], [right, self.y]];
        };
        let width = self.width / columns as f32;
        let height = self.height / rows as f32;
        let mut positions = Vec::with_capacity(self.count() as usize);
        for row in 0..rows {
            for column in 0..columns {
                let left = self.x + width * column as f32;
                let right = self.x + width * (column + 1) as f32;
                let top = self.y + height * row as f32;
                let bottom = self.y + height * (row + 1) as f32;
                positions.extend([[right, bottom], [left, bottom], [left, top]]);
                positions.extend([[right, bottom], [left, top], [right, top]]);
            }
        }
        positions
    }
}
