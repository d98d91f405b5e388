//! Packets of the command processor.

mod data;
mod effects;
mod events;
mod packet;

use gpu_service::{CommandError, Outcome, not_modeled};
use packets::{Command, Memory, RegisterWrites, Table};

use crate::compute::{self, Dispatch};
use crate::context::Context;
use crate::draw::{self, DrawCall, Indices};
use crate::hardware::Hardware;
use effects::Effects;
use packet::Packet;

/// Initial values of registers after `CLEAR_STATE`, of those that are not 0: name, value, number of
/// registers of the form. They are those of the kernel's clear state.
const CLEARED: [(&str, u32, u32); 21] = [
    ("PA_SC_SCREEN_SCISSOR_BR", 0x4000_4000, 1),
    ("PA_SC_WINDOW_SCISSOR_TL", 0x8000_0000, 1),
    ("PA_SC_WINDOW_SCISSOR_BR", 0x4000_4000, 1),
    ("PA_SC_CLIPRECT_RULE", 0xffff, 1),
    ("PA_SC_EDGERULE", 0xaa99_aaaa, 1),
    ("CB_TARGET_MASK", u32::MAX, 1),
    ("CB_SHADER_MASK", u32::MAX, 1),
    ("PA_SC_GENERIC_SCISSOR_TL", 0x8000_0000, 1),
    ("PA_SC_GENERIC_SCISSOR_BR", 0x4000_4000, 1),
    ("PA_SC_VPORT_SCISSOR_#_TL", 0x8000_0000, 16),
    ("PA_SC_VPORT_SCISSOR_#_BR", 0x4000_4000, 16),
    ("PA_SC_VPORT_ZMAX_#", 0x3f80_0000, 16),
    ("DB_STENCILREFMASK", 0x0100_0000, 1),
    ("DB_STENCILREFMASK_BF", 0x0100_0000, 1),
    ("PA_CL_CLIP_CNTL", 0x9_0000, 1),
    ("PA_SU_SC_MODE_CNTL", 4, 1),
    ("PA_CL_GB_VERT_CLIP_ADJ", 0x3f80_0000, 1),
    ("PA_CL_GB_HORZ_CLIP_ADJ", 0x3f80_0000, 1),
    ("PA_SC_AA_MASK_X0Y0_X1Y0", u32::MAX, 1),
    ("PA_SC_AA_MASK_X0Y1_X1Y1", u32::MAX, 1),
    ("PA_SU_VTX_CNTL", 5, 1),
];

/// Addresses of the registers of a context.
const CONTEXT: std::ops::Range<u32> = 0x28000..0x29000;
/// First addresses of the registers of shaders.
const SHADER: u32 = 0xb000;

/// Executes packets of a generation.
pub(crate) struct Commands {
    effects: Effects,
    events: events::Events,
}

impl Commands {
    /// Resolves the tables of a generation.
    pub(crate) fn resolve(table: &'static Table) -> Commands {
        Commands { effects: Effects::resolve(table), events: events::Events::resolve(table) }
    }

    /// Executes a packet. Returns the number of double words after it that are left out.
    pub(crate) fn execute(
        &self,
        hardware: &Hardware,
        memory: &dyn Memory,
        context: &mut Context,
        command: &Command<'_>,
    ) -> Outcome<u64> {
        let packet = Packet(command);
        if packet.flag("Predicate") && !context.predicate {
            return Ok(0);
        }
        if let Some(writes) = RegisterWrites::of(command.layout, &command.words) {
            for (address, value) in writes {
                self.set_register(hardware.table, context, address, value)?;
            }
            return Ok(0);
        }
        match command.layout.name {
            "NOP" | "NOP_HEADER" | "FILLER" => {}
            // Nothing is in flight, and nothing cached.
            "PFP_SYNC_ME" | "SURFACE_SYNC" | "ACQUIRE_MEM" => {}
            // Registers are not loaded from memory, nor stored there.
            "CONTEXT_CONTROL" => {}
            // The walk goes on there.
            "INDIRECT_BUFFER" | "INDIRECT_BUFFER_SI" => {}
            "CLEAR_STATE" => clear_state(hardware.table, context),
            "INDEX_TYPE" => {
                if packet.flag("Swap") {
                    return not_modeled("indices with swapped bytes");
                }
                context.index_bytes = match packet.get("Index Type") {
                    0 => 2,
                    1 => 4,
                    2 => 1,
                    kind => return not_modeled(format!("indices of type {kind}")),
                };
            }
            "INDEX_BASE" => context.indices.0 = packet.get("Address"),
            "INDEX_BUFFER_SIZE" => context.indices.1 = packet.word("Indices"),
            "NUM_INSTANCES" => context.instances = packet.word("Instances"),
            "SET_BASE" => match packet.get("Base Index") {
                // Parameters of indirect draws.
                1 => context.indirect_base = packet.get("Address"),
                index => return not_modeled(format!("base {index}")),
            },
            "DISPATCH_DIRECT" | "DISPATCH_INDIRECT" => {
                return dispatch(hardware, memory, context, &packet).map(|()| 0);
            }
            name if name.starts_with("DRAW_") => {
                return draw(hardware, memory, context, &packet).map(|()| 0);
            }
            name if name.starts_with("EVENT_WRITE") || name == "STRMOUT_BUFFER_UPDATE" => {
                return self.events.execute(hardware, memory, context, &packet).map(|()| 0);
            }
            "LOAD_CONTEXT_REG_INDEX" => {
                return self.load_registers(hardware.table, memory, context, &packet).map(|()| 0);
            }
            "COND_EXEC" => {
                let condition = memory.read_u32(packet.get("Address"))?;
                return Ok(if condition == 0 { packet.get("Execute Count") } else { 0 });
            }
            "SET_PREDICATION" => {
                return self.events.predicate(memory, context, &packet).map(|()| 0);
            }
            _ => return data::execute(hardware, memory, context, &packet).map(|()| 0),
        }
        Ok(0)
    }

    /// Sets registers of the context to words in memory.
    fn load_registers(
        &self,
        table: &Table,
        memory: &dyn Memory,
        context: &mut Context,
        packet: &Packet<'_>,
    ) -> Outcome<()> {
        let words = memory.read_words(packet.get("Address"), packet.get("Count") as usize)?;
        let first = CONTEXT.start + 4 * packet.word("Register");
        for (address, value) in (first..CONTEXT.end).step_by(4).zip(words) {
            self.set_register(table, context, address, value)?;
        }
        Ok(())
    }

    /// Sets a register whose effect is known.
    fn set_register(
        &self,
        table: &Table,
        context: &mut Context,
        address: u32,
        value: u32,
    ) -> Outcome<()> {
        if !self.effects.permits(address, value) {
            let name = table
                .register(address)
                .map(|layout| layout.name.replace('#', &layout.index.to_string()));
            let name = name.unwrap_or_else(|| format!("{address:#x}"));
            return Err(CommandError::NotModeled(format!("register {name} = {value:#x}")));
        }
        context.registers.set(address, value);
        Ok(())
    }
}

/// Sets the registers of the context to their initial values.
fn clear_state(table: &Table, context: &mut Context) {
    for address in CONTEXT.step_by(4) {
        context.registers.set(address, 0);
    }
    for (name, value, count) in CLEARED {
        for i in 0..count {
            if let Some(layout) = table.register_named(&name.replace('#', &i.to_string())) {
                context.registers.set(layout.offset + i * layout.distance, value);
            }
        }
    }
}

/// Executes a dispatch.
fn dispatch(
    hardware: &Hardware,
    memory: &dyn Memory,
    context: &mut Context,
    packet: &Packet<'_>,
) -> Outcome<()> {
    let groups = match packet.0.layout.name {
        "DISPATCH_DIRECT" => ["Groups X", "Groups Y", "Groups Z"].map(|name| packet.word(name)),
        _ => {
            let address = context.indirect_base.wrapping_add(packet.get("Offset"));
            let words = memory.read_words(address, 3)?;
            [words[0], words[1], words[2]]
        }
    };
    let call = Dispatch {
        groups,
        has_partial_groups: packet.flag("Partial Group Enable"),
        starts_at_0: packet.flag("Force Start At 0"),
        counts_threads: packet.flag("Use Thread Dimensions"),
    };
    compute::dispatch(hardware, memory, context, call)
}

/// Executes a draw, or the draws whose parameters are in memory.
fn draw(
    hardware: &Hardware,
    memory: &dyn Memory,
    context: &mut Context,
    packet: &Packet<'_>,
) -> Outcome<()> {
    /// Bits of the initiator: source of indices, count from stream output.
    const SOURCE: u32 = 3;
    const IMMEDIATE: u32 = 1;
    const OPAQUE: u32 = 1 << 6;
    let initiator = packet.word("Initiator");
    if initiator & SOURCE == IMMEDIATE {
        return not_modeled("draws whose indices are in the packet");
    }
    let name = packet.0.layout.name;
    let indices = |start: u64, most: u32| Indices { start, most, bytes: context.index_bytes };
    let call = |vertices: u32, first_vertex: u32, indices: Option<Indices>| DrawCall {
        vertices,
        first_vertex,
        instances: context.instances,
        indices,
    };
    let call = match name {
        "DRAW_INDEX_AUTO" if initiator & OPAQUE != 0 => {
            let fields = &hardware.fields.output;
            let [filled, offset, stride] = [fields.filled, fields.offset, fields.stride]
                .map(|field| field.get(&context.registers));
            call(filled.saturating_sub(offset) / stride.max(1), 0, None)
        }
        "DRAW_INDEX_AUTO" => call(packet.word("Index Count"), 0, None),
        "DRAW_INDEX_2" => {
            let indices = indices(packet.get("Address"), packet.word("Most Indices"));
            call(packet.word("Index Count"), 0, Some(indices))
        }
        "DRAW_INDEX_OFFSET_2" => {
            let offset = packet.word("Index Offset");
            let bytes = u64::from(offset) * u64::from(context.index_bytes);
            let start = context.indices.0.wrapping_add(bytes);
            let indices = indices(start, packet.word("Most Indices").saturating_sub(offset));
            call(packet.word("Index Count"), 0, Some(indices))
        }
        _ => return indirect(hardware, memory, context, packet),
    };
    draw::draw(hardware, memory, context, &call)
}

/// Executes draws whose parameters are in memory.
fn indirect(
    hardware: &Hardware,
    memory: &dyn Memory,
    context: &mut Context,
    packet: &Packet<'_>,
) -> Outcome<()> {
    /// Most draws of a packet.
    const MOST: u32 = 1 << 20;
    let is_indexed = packet.0.layout.name.contains("INDEX_INDIRECT");
    let is_multiple = packet.0.layout.name.ends_with("MULTI");
    let (mut count, mut stride) = (1, 0);
    if is_multiple {
        (count, stride) = (packet.word("Count"), packet.word("Stride"));
        if packet.flag("Count Is Indirect") {
            count = count.min(memory.read_u32(packet.get("Count Address"))?);
        }
    }
    if count > MOST {
        return not_modeled(format!("{count} draws of a packet"));
    }
    let base = context.indirect_base.wrapping_add(packet.get("Offset"));
    for i in 0..count {
        let address = base.wrapping_add(u64::from(i) * u64::from(stride));
        let words = memory.read_words(address, if is_indexed { 5 } else { 4 })?;
        let [vertices, instances, first] = [words[0], words[1], words[2]];
        let (base_vertex, base_instance) =
            if is_indexed { (words[3], words[4]) } else { (first, words[3]) };
        let mut set = |name: &str, value: u32| {
            let register = packet.word(name);
            if register != 0 {
                context.registers.set(SHADER + 4 * register, value);
            }
        };
        set("Base Vertex Register", base_vertex);
        set("First Instance Register", base_instance);
        if packet.flag("Draw Index Enable") {
            set("Draw Index Register", i);
        }
        let indices = is_indexed.then(|| {
            let bytes = context.index_bytes;
            let start = context.indices.0.wrapping_add(u64::from(first) * u64::from(bytes));
            Indices { start, most: context.indices.1.saturating_sub(first), bytes }
        });
        let call = DrawCall { vertices, first_vertex: 0, instances, indices };
        draw::draw(hardware, memory, context, &call)?;
    }
    Ok(())
}
