//! Geometry threads: payload, emitted vertices.

use eu_simulator::Thread;
use gpu_service::{Outcome, not_modeled, vertex_count};
use raster::assemble::{Primitive, PrimitiveMode, assemble};

use super::assembled::{Assembled, mode_of};
use super::stage::{self, Entries, UrbStage, dwords, slots};
use crate::draw::command::Draw;
use crate::draw::state::stages::Program;

/// Position of the instance number in handles.
const INSTANCE_SHIFT: u32 = 27;
/// Double words of a unit of control data.
const UNIT: usize = 8;

/// Dispatch mode of threads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dispatch {
    Single,
    DualInstance,
    DualObject,
    Simd8,
}

/// Layout of payload and output.
struct Layout {
    dispatch: Dispatch,
    has_id: bool,
    has_handles: bool,
    /// First slot of pushed vertices and their number.
    pushed: (usize, usize),
    instances: u32,
    control_units: usize,
    has_streams: bool,
    vertex_dwords: usize,
    static_count: Option<u32>,
    default_stream: u32,
    mode: PrimitiveMode,
    /// Vertices of an object; those with another number are discarded.
    expected: Option<usize>,
}

impl Layout {
    /// True if threads take such a primitive. The payload has no place for more vertices than the
    /// kernel expects, and would hold old contents of registers for fewer.
    fn takes(&self, primitive: &Primitive) -> bool {
        self.expected.is_none_or(|expected| primitive.vertices.len() == expected)
    }
}

/// A primitive and the number of an instance.
type Item<'p> = (&'p Primitive, u32);

impl Draw<'_> {
    fn geometry_layout(&self) -> Outcome<Layout> {
        let gs = self.fields.gs;
        let words = self.context.packet("3DSTATE_GS");
        let dispatch = match gs.mode.get(words) {
            0 => Dispatch::Single,
            1 => Dispatch::DualInstance,
            2 => Dispatch::DualObject,
            _ => Dispatch::Simd8,
        };
        let topology = gs.topology.get(words);
        let Some((mode, _)) = mode_of(topology) else {
            return not_modeled(format!("geometry shaders that emit topology {topology}"));
        };
        let is_static = gs.is_static.flag(words);
        Ok(Layout {
            dispatch,
            has_id: gs.has_id.flag(words),
            has_handles: gs.has_handles.flag(words),
            pushed: (
                2 * gs.read_offset.get_u32(words) as usize,
                2 * gs.read_length.get_u32(words) as usize,
            ),
            instances: gs.instances.get_u32(words) + 1,
            control_units: gs.control_size.get_u32(words) as usize,
            has_streams: gs.control_is_stream.flag(words),
            vertex_dwords: 4 * (gs.vertex_size.get_u32(words) as usize + 1),
            static_count: is_static.then(|| gs.static_count.get_u32(words)),
            default_stream: gs.default_stream.get_u32(words) | gs.default_stream_new.get_u32(words),
            mode,
            expected: Some(gs.expected.get_u32(words) as usize).filter(|&count| count > 0),
        })
    }

    /// Executes the geometry shader on primitives. The result has one list for each stream.
    pub(crate) fn shade_geometry(&self, input: &Assembled) -> Outcome<[Assembled; 4]> {
        let gs = self.fields.gs;
        let words = self.context.packet("3DSTATE_GS");
        let layout = self.geometry_layout()?;
        let program = Program {
            kernel: gs.kernel.get(words),
            start: gs.inputs.get_u32(words) | gs.inputs_high.get_u32(words) << 4,
            scratch: gs.scratch.get(words),
        };
        let stage = UrbStage::load(self, &stage::GEOMETRY, &program)?;
        let mut streams = [(); 4].map(|()| Assembled::new(layout.mode));
        let items: Vec<Item<'_>> = input
            .primitives
            .iter()
            .filter(|primitive| layout.takes(primitive))
            .flat_map(|primitive| (0..layout.instances).map(move |instance| (primitive, instance)))
            .collect();
        for group in groups(&items, layout.dispatch, layout.instances) {
            let done = self.run_geometry(&stage, &layout, input, group)?;
            for (i, item) in group.iter().enumerate() {
                self.emit(&layout, &done, i, item.0.id, &mut streams)?;
            }
        }
        let emitted = streams.iter().map(|stream| stream.primitives.len()).sum();
        self.counts.add_geometry(items.len(), emitted);
        Ok(streams)
    }

    fn run_geometry(
        &self,
        stage: &UrbStage<'_>,
        layout: &Layout,
        input: &Assembled,
        group: &[Item<'_>],
    ) -> Outcome<Entries> {
        let lanes = if layout.dispatch == Dispatch::Simd8 { 8 } else { 2 };
        let most = group.iter().map(|(primitive, _)| primitive.vertices.len()).max();
        let vertices = most.unwrap_or(1);
        let mut entries = vec![Vec::new(); lanes * (1 + vertices)];
        for (lane, (primitive, _)) in group.iter().enumerate() {
            for (vertex, &number) in primitive.vertices.iter().enumerate() {
                entries[lanes + vertex * lanes + lane] = dwords(&input.vertices[number as usize]);
            }
        }
        let (mut thread, inputs) = stage.thread();
        let handle = |lane: usize| {
            let instance = group.get(lane).map_or(0, |(_, instance)| *instance);
            u32::try_from(lane).unwrap_or(0) | instance << INSTANCE_SHIFT
        };
        let id = |lane: usize| group.get(lane).map_or(0, |(primitive, _)| primitive.id);
        let own =
            |vertex: usize, lane: usize| u32::try_from(lanes + vertex * lanes + lane).unwrap_or(0);
        let mut next = 1;
        if layout.dispatch == Dispatch::Simd8 {
            stage.set_header(&mut thread, [0; 8]);
            thread.set_register(1, &std::array::from_fn(handle));
            next += 1;
            if layout.has_id {
                thread.set_register(next, &std::array::from_fn(id));
                next += 1;
            }
            if layout.has_handles && layout.instances > 1 {
                // All channels have the same primitive: a double word for each vertex.
                for first in (0..vertices).step_by(8) {
                    let handle = |i| if first + i < vertices { own(first + i, 0) } else { 0 };
                    thread.set_register(next + first / 8, &std::array::from_fn(handle));
                }
            } else if layout.has_handles {
                for vertex in 0..vertices {
                    let handles = std::array::from_fn(|lane| own(vertex, lane));
                    thread.set_register(next + vertex, &handles);
                }
            }
            thread.set_dispatch_mask((1 << group.len()) - 1);
        } else {
            stage.set_header(&mut thread, [handle(0), handle(1), 0, 0, 0, 0, 0, 0]);
            if layout.has_id {
                thread.set_register(next, &[id(0), 0, 0, 0, id(1), 0, 0, 0]);
                next += 1;
            }
            if layout.has_handles {
                let handles = |i: usize| if i < vertices { own(i, 0) } else { 0 };
                thread.set_register(next, &std::array::from_fn(handles));
            }
            thread.set_dispatch_mask(if group.len() == 2 { 0xff } else { 0x0f });
        }
        push(&mut thread, inputs, layout, (lanes, vertices, group.len()), &entries);
        stage.run(vec![thread], entries)
    }

    /// Adds the vertices that the item of a thread emitted to their streams.
    fn emit(
        &self,
        layout: &Layout,
        done: &Entries,
        lane: usize,
        id: u32,
        streams: &mut [Assembled; 4],
    ) -> Outcome<()> {
        let entry = &done.entries[lane];
        let dword = |at: usize| entry.get(at).copied().unwrap_or(0);
        let (count, header) = match (layout.dispatch, layout.static_count) {
            (Dispatch::Simd8, Some(count)) => (count, 0),
            (Dispatch::Simd8, None) => (dword(0), UNIT),
            _ => (done.counts.get(lane).copied().unwrap_or(0), 0),
        };
        let bits = if layout.has_streams { 2 } else { 1 };
        let control = |vertex: usize| {
            let at = vertex * bits;
            dword(header + at / 32) >> (at % 32) & ((1 << bits) - 1)
        };
        let start = header + layout.control_units * UNIT;
        let made: usize = streams.iter().map(|stream| stream.vertices.len()).sum();
        vertex_count(made + count as usize)?;
        let mut runs: [Vec<Vec<u32>>; 4] = std::array::from_fn(|_| vec![Vec::new()]);
        for vertex in 0..count as usize {
            let (stream, cuts) = match (layout.control_units, layout.has_streams) {
                (0, _) => (layout.default_stream, false),
                (_, true) => (control(vertex), false),
                (_, false) => (layout.default_stream, control(vertex) != 0),
            };
            let stream = stream as usize & 3;
            let at = start + vertex * layout.vertex_dwords;
            let end = (at + layout.vertex_dwords).min(entry.len());
            let mut data = entry.get(at..end).unwrap_or_default().to_vec();
            data.resize(layout.vertex_dwords, 0);
            let vertices = &mut streams[stream].vertices;
            let number = vertex_count(vertices.len())?;
            vertices.push(slots(&data));
            if let Some(run) = runs[stream].last_mut() {
                run.push(number);
            }
            if cuts {
                runs[stream].push(Vec::new());
            }
        }
        for (stream, runs) in streams.iter_mut().zip(runs) {
            for run in runs {
                self.emit_run(layout.mode, &run, id, stream);
            }
        }
        Ok(())
    }

    /// Adds the primitives of a run of vertices.
    fn emit_run(&self, mode: PrimitiveMode, run: &[u32], id: u32, stream: &mut Assembled) {
        let count = u32::try_from(run.len()).unwrap_or(0);
        for mut primitive in assemble(mode, count, self.state.raster.convention(mode), 0) {
            primitive.vertices.iter_mut().for_each(|vertex| *vertex = run[*vertex as usize]);
            primitive.id = id;
            stream.primitives.push(primitive);
        }
    }
}

/// Writes pushed vertices from register `first` on.
fn push(
    thread: &mut Thread,
    first: usize,
    layout: &Layout,
    (lanes, vertices, items): (usize, usize, usize),
    entries: &[Vec<u32>],
) {
    let (skipped, slots) = layout.pushed;
    for vertex in 0..vertices {
        for slot in 0..slots {
            let index = vertex * slots + slot;
            for lane in 0..items {
                let entry = &entries[lanes + vertex * lanes + lane];
                for c in 0..4 {
                    let value = entry.get(4 * (skipped + slot) + c).copied().unwrap_or(0);
                    match layout.dispatch {
                        Dispatch::Simd8 => thread.set_dword(first + 4 * index + c, lane, value),
                        Dispatch::DualObject => {
                            thread.set_dword(first + index, 4 * lane + c, value);
                        }
                        // Two slots to a register, of the first item.
                        _ if lane == 0 => {
                            thread.set_dword(first + index / 2, index % 2 * 4 + c, value);
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

/// Distributes items to threads: as many as a thread takes, instances of one primitive together
/// where that is required.
fn groups<'i, 'p>(
    items: &'i [Item<'p>],
    dispatch: Dispatch,
    instances: u32,
) -> Vec<&'i [Item<'p>]> {
    let of_one = |most| {
        items
            .chunk_by(|a, b| std::ptr::eq(a.0, b.0))
            .flat_map(move |instances| instances.chunks(most))
            .collect()
    };
    match dispatch {
        Dispatch::Single => items.chunks(1).collect(),
        Dispatch::DualObject => items.chunks(2).collect(),
        Dispatch::Simd8 if instances > 1 => of_one(8),
        Dispatch::Simd8 => items.chunks(8).collect(),
        Dispatch::DualInstance => of_one(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(expected: Option<usize>) -> Layout {
        Layout {
            dispatch: Dispatch::Simd8,
            has_id: false,
            has_handles: true,
            pushed: (0, 0),
            instances: 1,
            control_units: 0,
            has_streams: false,
            vertex_dwords: 4,
            static_count: None,
            default_stream: 0,
            mode: PrimitiveMode::TriangleStrip,
            expected,
        }
    }

    #[test]
    fn objects_with_another_number_of_vertices_are_discarded() {
        let convention = raster::assemble::ProvokingVertex::First;
        let point = &assemble(PrimitiveMode::Points, 1, convention, 0)[0];
        let triangle = &assemble(PrimitiveMode::Triangles, 3, convention, 0)[0];
        assert!(layout(Some(3)).takes(triangle) && !layout(Some(3)).takes(point));
        assert!(layout(Some(1)).takes(point) && !layout(Some(1)).takes(triangle));
        // Generation 7 has no such field.
        assert!(layout(None).takes(point) && layout(None).takes(triangle));
    }
}
