//! `draw rect` and `draw arrays`.

use super::reader::{Key, Reader, VertexSource};
use crate::amber::topology_named;
use crate::model::{CommandKind, Draw, DrawVertices, PipelineKind, Rectangle, Topology};
use crate::text::Step;
use crate::tokens::{Cursor, Token};

impl<'a> Reader<'a> {
    pub(super) fn draw(&mut self, cursor: &mut Cursor<'a>, start: &Token<'a>) -> Step<()> {
        let (word, token) = cursor.word("`rect` or `arrays`")?;
        match word {
            "rect" => self.draw_rect(cursor, start),
            "arrays" => self.draw_arrays(cursor, start),
            _ => Err(token.fault("expected `rect` or `arrays`")),
        }
    }

    fn draw_rect(&mut self, cursor: &mut Cursor<'a>, start: &Token<'a>) -> Step<()> {
        let (mut ortho, mut patch) = (false, false);
        loop {
            if cursor.accept("ortho") {
                ortho = true;
            } else if cursor.accept("patch") {
                patch = true;
            } else {
                break;
            }
        }
        let mut area = [0.0; 4];
        for value in &mut area {
            *value = cursor.real("x, y, width and height")? as f32;
        }
        let span = self.span(start, cursor);
        cursor.end_of_line("draw rect")?;
        let [x, y, width, height] = area;
        let rectangle = if ortho {
            Rectangle::in_pixels(area, self.framebuffer)
        } else {
            Rectangle { x, y, width, height, cells: None }
        };
        let mut key: Key = self.key.clone();
        key.state.patch_control_points = 4;
        let pipeline =
            self.pipeline(PipelineKind::Graphics, VertexSource::Rectangle, &key, span)?;
        let topology = if patch { Topology::PatchList } else { Topology::TriangleStrip };
        let draw = Draw::rectangle(topology, rectangle);
        self.push_command(span, CommandKind::Draw { pipeline, draw });
        Ok(())
    }

    fn draw_arrays(&mut self, cursor: &mut Cursor<'a>, start: &Token<'a>) -> Step<()> {
        let (mut indexed, mut instanced) = (false, false);
        loop {
            if cursor.accept("indexed") {
                indexed = true;
            } else if cursor.accept("instanced") {
                instanced = true;
            } else {
                break;
            }
        }
        let (topology, token) = cursor.word("a topology")?;
        let topology = topology_named(topology).ok_or_else(|| token.fault("unknown topology"))?;
        let first_vertex = cursor.unsigned("the first vertex")?;
        let count = cursor.unsigned("a number of vertices")?;
        let mut instances = 1;
        if instanced && !cursor.peek().ends_line() {
            instances = cursor.unsigned("a number of instances")?;
        }
        let span = self.span(start, cursor);
        cursor.end_of_line("draw arrays")?;
        if indexed && self.indices.is_none() {
            return Err(start.fault("indexed draw without `[indices]`"));
        }
        let key = self.key.clone();
        let pipeline = self.pipeline(PipelineKind::Graphics, VertexSource::Buffers, &key, span)?;
        let draw = Draw {
            topology,
            vertices: DrawVertices::Buffers,
            first_vertex,
            first_index: 0,
            count,
            indexed,
            first_instance: 0,
            instances,
        };
        self.push_command(span, CommandKind::Draw { pipeline, draw });
        Ok(())
    }
}
