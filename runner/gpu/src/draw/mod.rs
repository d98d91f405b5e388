//! Draws: from a `3DPRIMITIVE` and the state of its context to pixels in memory.

mod assemble;
mod fragment;
mod rectangle;
mod scratch;
mod state;
mod target;
mod triangle;
mod vertex_shader;
mod vertices;

use eu::DevInfo;
use packets::{Memory, Table};
use vocabulary::Generation;

use crate::context::HardwareContext;
use crate::error::{CommandError, Outcome, not_modeled};
use crate::mi::predicate_holds;
use assemble::{Provoking, Triangle, triangles};
use state::Fields;

/// Topology of rectangles: three vertices each.
const RECTANGLES: u64 = 15;

/// Registers with the parameters of an indirect draw.
const INDIRECT: [u32; 5] = [0x2434, 0x2430, 0x2438, 0x243c, 0x2440];

/// Parameters of a draw.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    topology: u64,
    is_indexed: bool,
    vertices: u32,
    first_vertex: u32,
    instances: u32,
    first_instance: u32,
    base_vertex: u32,
}

/// Executes draws of one generation.
pub(crate) struct Drawing {
    table: &'static Table,
    devinfo: Option<&'static DevInfo>,
    fields: Fields,
}

/// State and memory that all parts of a draw read.
struct Draw<'a> {
    table: &'static Table,
    devinfo: &'static DevInfo,
    fields: &'a Fields,
    memory: &'a dyn Memory,
    context: &'a HardwareContext,
}

impl Drawing {
    /// Resolves the tables of a generation.
    pub(crate) fn new(generation: Generation, table: &'static Table) -> Drawing {
        let devinfo = DevInfo::get(generation.name());
        Drawing { table, devinfo, fields: Fields::resolve(table) }
    }

    /// Stores the states of the vertex buffers that a command names.
    pub(crate) fn set_vertex_buffers(&self, context: &mut HardwareContext, words: &[u32]) {
        let index = self.fields.vertex_buffer.index;
        for state in words[1..].chunks_exact(4) {
            context.vertex_buffers.insert(index.get(state), state.to_vec());
        }
    }

    /// Executes a draw.
    pub(crate) fn draw(
        &self,
        memory: &dyn Memory,
        context: &mut HardwareContext,
        words: &[u32],
    ) -> Outcome<()> {
        let parameters = self.parameters(context, words)?;
        let is_predicated = self.fields.primitive.is_predicated.flag(words);
        if is_predicated && !predicate_holds(context) {
            return Ok(());
        }
        // Drivers draw nothing before any state exists, to work around a fault of ivb.
        if parameters.vertices == 0 || parameters.instances == 0 {
            return Ok(());
        }
        let Some(devinfo) = self.devinfo else { return not_modeled("draws without hardware") };
        let draw =
            Draw { table: self.table, devinfo, fields: &self.fields, memory, context: &*context };
        draw.check()?;
        for instance in 0..parameters.instances {
            draw.instance(&parameters, instance)?;
        }
        Ok(())
    }

    fn parameters(&self, context: &HardwareContext, words: &[u32]) -> Outcome<Parameters> {
        let fields = &self.fields.primitive;
        let get = |field: packets::Field| field.get_u32(words);
        let topology = if self.fields.topology.kind.exists() {
            self.fields.topology.kind.get(context.packet("3DSTATE_VF_TOPOLOGY"))
        } else {
            fields.topology.get(words)
        };
        if fields.end_offset.flag(words) {
            return not_modeled("draws whose count is an end offset");
        }
        let mut parameters = Parameters {
            topology,
            is_indexed: fields.is_random.flag(words),
            vertices: get(fields.vertices),
            first_vertex: get(fields.first_vertex),
            instances: get(fields.instances),
            first_instance: get(fields.first_instance),
            base_vertex: get(fields.base_vertex),
        };
        if fields.is_indirect.flag(words) {
            let [vertices, first_vertex, instances, first_instance, base_vertex] =
                INDIRECT.map(|offset| context.registers.get(offset));
            parameters = Parameters {
                vertices,
                first_vertex,
                instances,
                first_instance,
                base_vertex,
                ..parameters
            };
        }
        Ok(parameters)
    }
}

impl Draw<'_> {
    /// Draws an instance.
    fn instance(&self, parameters: &Parameters, instance: u32) -> Outcome<()> {
        let instance_id = parameters.first_instance + instance;
        let fetch = |i| self.fetch(self.index(parameters, i)?, instance, instance_id);
        let vertices = (0..parameters.vertices).map(fetch).collect::<Outcome<Vec<_>>>()?;
        let vertices = self.shade_vertices(vertices)?;
        if parameters.topology == RECTANGLES {
            for corners in vertices.chunks_exact(3) {
                self.rectangle(&[corners[0].clone(), corners[1].clone(), corners[2].clone()])?;
            }
            return Ok(());
        }
        let sf = self.context.packet("3DSTATE_SF");
        let select = |field: packets::Field| field.get_u32(sf) as usize;
        let provoking = Provoking {
            list: select(self.fields.sf.provoking_list),
            fan: select(self.fields.sf.provoking_fan),
        };
        let found = triangles(parameters.topology, parameters.vertices, provoking);
        let Some(found) = found else {
            return not_modeled(format!("draws of topology {}", parameters.topology));
        };
        for Triangle { corners, provoking } in found {
            let corners = corners.map(|i| vertices[i as usize].clone());
            self.triangle(&corners, provoking)?;
        }
        Ok(())
    }

    /// Number of the vertex at a place of the draw.
    fn index(&self, parameters: &Parameters, place: u32) -> Outcome<u32> {
        let place = parameters.first_vertex + place;
        if !parameters.is_indexed {
            return Ok(place);
        }
        let fields = self.fields.index_buffer;
        let words = self.context.packet("3DSTATE_INDEX_BUFFER");
        let bytes = 1_usize << fields.format.get(words).min(2);
        let start = fields.start.get(words) & 0xffff_ffff_ffff;
        let mut index = [0; 4];
        self.memory.read(start + bytes as u64 * u64::from(place), &mut index[..bytes])?;
        Ok(u32::from_le_bytes(index).wrapping_add(parameters.base_vertex))
    }

    /// Refuses state that is not modeled yet.
    fn check(&self) -> Outcome<()> {
        let fields = self.fields;
        let refuse = |is_used: bool, what: &str| {
            if is_used { not_modeled(what) } else { Ok::<(), CommandError>(()) }
        };
        let packet = |name| self.context.packet(name);
        refuse(fields.hs.is_enabled.flag(packet("3DSTATE_HS")), "tessellation control shaders")?;
        refuse(fields.ds.is_enabled.flag(packet("3DSTATE_DS")), "tessellation evaluation shaders")?;
        refuse(fields.gs.is_enabled.flag(packet("3DSTATE_GS")), "geometry shaders")?;
        let stream_out = packet("3DSTATE_STREAMOUT");
        refuse(fields.stream_out.is_enabled.flag(stream_out), "transform feedback")?;
        let sf = packet("3DSTATE_SF");
        let raster = packet("3DSTATE_RASTER");
        let fills = [
            (fields.sf.front_fill, sf),
            (fields.sf.back_fill, sf),
            (fields.raster.front_fill, raster),
            (fields.raster.back_fill, raster),
        ];
        refuse(fills.iter().any(|(field, words)| field.flag(words)), "polygon modes")?;
        refuse(fields.wm.stipples.flag(packet("3DSTATE_WM")), "polygon stipple")?;
        refuse(fields.clip.distances.flag(packet("3DSTATE_CLIP")), "clip distances")?;
        refuse(fields.ps_blend.tests_alpha.flag(packet("3DSTATE_PS_BLEND")), "alpha tests")?;
        let samples = fields.multisample.samples.get(packet("3DSTATE_MULTISAMPLE"));
        refuse(samples != 0, "multisampling")?;
        self.check_depth()
    }

    /// Refuses depth and stencil tests and operations on depth buffers.
    fn check_depth(&self) -> Outcome<()> {
        let fields = self.fields;
        let wm = self.context.packet("3DSTATE_WM");
        for field in [fields.wm.clears_depth, fields.wm.resolves_depth, fields.wm.resolves_hiz] {
            if field.flag(wm) {
                return not_modeled("clears and resolves of depth buffers");
            }
        }
        let (test, words) = if fields.wm_depth.tests_depth.exists() {
            let words = self.context.packet("3DSTATE_WM_DEPTH_STENCIL").to_vec();
            (&fields.wm_depth.as_tests(), words)
        } else {
            let pointer = self.context.packet("3DSTATE_DEPTH_STENCIL_STATE_POINTERS");
            if pointer.is_empty() {
                return Ok(());
            }
            let address = self.context.dynamic_base + fields.depth_pointer.offset.get(pointer);
            (&fields.depth.as_tests(), self.memory.read_words(address, 3)?)
        };
        if test.iter().any(|field| field.flag(&words)) {
            return not_modeled("depth and stencil tests");
        }
        Ok(())
    }
}
