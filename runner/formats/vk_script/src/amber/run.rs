//! `RUN`, `CLEAR` and its values, `COPY`.

use super::parser::Parser;
use crate::check;
use crate::model::{
    ClearValue, CommandKind, Draw, DrawVertices, PipelineId, PipelineKind, Rectangle, Topology,
};
use crate::text::Step;
use crate::tokens::{Kind, Token};

/// Most cells of a grid.
const CELL_LIMIT: u64 = 1 << 20;

impl<'a> Parser<'a> {
    /// Reads `RUN`. `None`: the pipeline is one of ray tracing.
    pub(super) fn run(&mut self) -> Step<Option<CommandKind>> {
        self.cursor.accept("TIMED_EXECUTION");
        let (pipeline, name) = self.pipeline_name()?;
        if self.script.pipeline(pipeline).kind == PipelineKind::RayTracing {
            self.run_rays()?;
            return Ok(None);
        }
        let token = self.cursor.peek();
        let kind = match token.kind {
            Kind::Word("DRAW_RECT") => self.draw_rectangle(pipeline, &name, false)?,
            Kind::Word("DRAW_GRID") => self.draw_rectangle(pipeline, &name, true)?,
            Kind::Word("DRAW_ARRAY") => self.draw_array(pipeline, &name)?,
            Kind::Integer { .. } | Kind::Hex(_) => {
                self.demand(pipeline, PipelineKind::Compute, &name)?;
                let mut groups = [0; 3];
                for count in &mut groups {
                    *count = self.cursor.unsigned("a number of work groups")?;
                }
                CommandKind::Dispatch { pipeline, groups }
            }
            _ => {
                let message = "expected work groups, `DRAW_RECT`, `DRAW_GRID` or `DRAW_ARRAY`";
                return Err(token.fault(message));
            }
        };
        self.cursor.end_of_line("RUN")?;
        Ok(Some(kind))
    }

    fn demand(&self, pipeline: PipelineId, kind: PipelineKind, name: &Token<'a>) -> Step<()> {
        if self.script.pipeline(pipeline).kind == kind {
            return Ok(());
        }
        let kind = if kind == PipelineKind::Compute { "compute" } else { "graphics" };
        Err(name.fault(format!("a {kind} pipeline is needed")))
    }

    fn draw_rectangle(
        &mut self,
        pipeline: PipelineId,
        name: &Token<'a>,
        grid: bool,
    ) -> Step<CommandKind> {
        self.cursor.next();
        self.demand(pipeline, PipelineKind::Graphics, name)?;
        let buffers = self.script.pipeline(pipeline).vertex_buffers.len();
        if buffers > usize::from(!grid) {
            return Err(name.fault("a pipeline with vertex buffers draws no rectangles"));
        }
        self.cursor.keyword("POS")?;
        let x = self.cursor.real("a position")? as f32;
        let y = self.cursor.real("a position")? as f32;
        self.cursor.keyword("SIZE")?;
        let width = self.cursor.real("a width")? as f32;
        let height = self.cursor.real("a height")? as f32;
        let mut cells = None;
        if grid {
            let token = self.cursor.keyword("CELLS")?;
            let columns = self.cursor.unsigned("a number of columns")?;
            let rows = self.cursor.unsigned("a number of rows")?;
            if u64::from(columns) * u64::from(rows) > CELL_LIMIT {
                return Err(token.fault(format!("grid of more than {CELL_LIMIT} cells")));
            }
            cells = Some([columns, rows]);
        }
        let framebuffer = self.script.pipeline(pipeline).framebuffer;
        let rectangle =
            Rectangle { cells, ..Rectangle::in_pixels([x, y, width, height], framebuffer) };
        let topology = if grid { Topology::TriangleList } else { Topology::TriangleStrip };
        Ok(CommandKind::Draw { pipeline, draw: Draw::rectangle(topology, rectangle) })
    }

    fn draw_array(&mut self, pipeline: PipelineId, name: &Token<'a>) -> Step<CommandKind> {
        self.cursor.next();
        self.demand(pipeline, PipelineKind::Graphics, name)?;
        let used = self.script.pipeline(pipeline);
        let vertices = used.vertex_buffers.first().map(|v| self.script.buffer(v.buffer).elements);
        let vertices = vertices.ok_or_else(|| name.fault("pipeline without vertex buffers"))?;
        let indices = used.indices.map(|id| self.script.buffer(id).elements);
        self.cursor.keyword("AS")?;
        let (topology, token) = self.cursor.word("a topology")?;
        let topology = topology_named(topology).ok_or_else(|| token.fault("unknown topology"))?;
        let mut draw = Draw {
            topology,
            vertices: DrawVertices::Buffers,
            first_vertex: 0,
            first_index: 0,
            count: 0,
            indexed: false,
            first_instance: 0,
            instances: 1,
        };
        let mut count = None;
        while !self.cursor.peek().ends_line() {
            let (word, token) = self.cursor.word("an option of `DRAW_ARRAY`")?;
            match word {
                "INDEXED" if indices.is_none() => {
                    return Err(name.fault("pipeline without `INDEX_DATA`"));
                }
                "INDEXED" => draw.indexed = true,
                "START_IDX" => draw.first_vertex = self.count()?,
                "COUNT" => count = Some(self.positive_count()?),
                "START_INSTANCE" => draw.first_instance = self.count()?,
                "INSTANCE_COUNT" => draw.instances = self.positive_count()?,
                _ => return Err(token.fault("unknown option of `DRAW_ARRAY`")),
            }
        }
        let available = if draw.indexed { indices.unwrap_or(0) } else { vertices };
        let rest = available.checked_sub(draw.first_vertex);
        let rest =
            rest.ok_or_else(|| name.fault(format!("`START_IDX` beyond {available} items")))?;
        draw.count = count.unwrap_or(rest);
        if draw.count > rest {
            return Err(name.fault(format!("`COUNT` beyond {available} items")));
        }
        Ok(CommandKind::Draw { pipeline, draw })
    }

    /// Reads a number of 0 to 2^31 - 1.
    fn count(&mut self) -> Step<u32> {
        let token = self.cursor.peek();
        let value = self.cursor.unsigned("a number")?;
        if value > i32::MAX.unsigned_abs() {
            return Err(token.fault("number above 2147483647"));
        }
        Ok(value)
    }

    fn positive_count(&mut self) -> Step<u32> {
        let token = self.cursor.peek();
        match self.count()? {
            0 => Err(token.fault("zero: expected a number of 1 or more")),
            value => Ok(value),
        }
    }

    pub(super) fn clear(&mut self) -> Step<CommandKind> {
        let pipeline = self.graphics_pipeline()?;
        self.cursor.end_of_line("CLEAR")?;
        Ok(CommandKind::Clear { pipeline })
    }

    fn graphics_pipeline(&mut self) -> Step<PipelineId> {
        let (pipeline, name) = self.pipeline_name()?;
        self.demand(pipeline, PipelineKind::Graphics, &name)?;
        Ok(pipeline)
    }

    pub(super) fn clear_color(&mut self) -> Step<CommandKind> {
        let pipeline = self.graphics_pipeline()?;
        let mut color = [0.0; 4];
        for channel in &mut color {
            *channel = self.byte()? as f32 / 255.0;
        }
        self.cursor.end_of_line("CLEAR_COLOR")?;
        Ok(CommandKind::SetClear { pipeline, value: ClearValue::Color(color) })
    }

    /// Reads a number of 0 to 255.
    pub(super) fn byte(&mut self) -> Step<u32> {
        let token = self.cursor.peek();
        let value = self.cursor.unsigned("a number of 0 to 255")?;
        if value > 255 { Err(token.fault("number above 255")) } else { Ok(value) }
    }

    pub(super) fn clear_depth(&mut self) -> Step<CommandKind> {
        let pipeline = self.graphics_pipeline()?;
        let depth = self.cursor.real("a depth")? as f32;
        self.cursor.end_of_line("CLEAR_DEPTH")?;
        Ok(CommandKind::SetClear { pipeline, value: ClearValue::Depth(depth) })
    }

    pub(super) fn clear_stencil(&mut self) -> Step<CommandKind> {
        let pipeline = self.graphics_pipeline()?;
        let value = self.byte()?;
        self.cursor.end_of_line("CLEAR_STENCIL")?;
        Ok(CommandKind::SetClear { pipeline, value: ClearValue::Stencil(value) })
    }

    pub(super) fn copy(&mut self) -> Step<CommandKind> {
        let (from, _) = self.buffer_name()?;
        self.cursor.keyword("TO")?;
        let (to, token) = self.buffer_name()?;
        if from == to {
            return Err(token.fault("copy of a buffer to itself"));
        }
        self.cursor.end_of_line("COPY")?;
        // The destination takes the size of the source.
        let source = self.script.buffer(from);
        let (width, height, elements) = (source.width, source.height, source.elements);
        let target = &mut self.script.buffers[to.index()];
        (target.width, target.height, target.elements) = (width, height, elements);
        check::buffer_size(target, &token)?;
        Ok(CommandKind::Copy { from, to })
    }
}

/// The topology with a name of Vulkan's or OpenGL's.
pub(crate) fn topology_named(name: &str) -> Option<Topology> {
    Some(match name {
        "GL_POINTS" => Topology::PointList,
        "GL_LINES" => Topology::LineList,
        "GL_LINE_STRIP" => Topology::LineStrip,
        "GL_TRIANGLES" => Topology::TriangleList,
        "GL_TRIANGLE_STRIP" => Topology::TriangleStrip,
        "GL_TRIANGLE_FAN" => Topology::TriangleFan,
        "GL_LINES_ADJACENCY" => Topology::LineListWithAdjacency,
        "GL_LINE_STRIP_ADJACENCY" => Topology::LineStripWithAdjacency,
        "GL_TRIANGLES_ADJACENCY" => Topology::TriangleListWithAdjacency,
        "GL_TRIANGLE_STRIP_ADJACENCY" => Topology::TriangleStripWithAdjacency,
        "GL_PATCHES" => Topology::PatchList,
        _ => return Topology::from_vk_name(name),
    })
}
