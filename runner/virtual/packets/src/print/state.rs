//! State, buffers and kernels that commands refer to.

use super::Printer;
use crate::layout::{Field, Item, Kind, PacketLayout};

/// Commands that point to state of the dynamic base: name, structure, usual count.
const POINTERS: [(&str, &str, u32); 6] = [
    ("3DSTATE_VIEWPORT_STATE_POINTERS_CC", "CC_VIEWPORT", 4),
    ("3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP", "SF_CLIP_VIEWPORT", 4),
    ("3DSTATE_BLEND_STATE_POINTERS", "BLEND_STATE", 1),
    ("3DSTATE_CC_STATE_POINTERS", "COLOR_CALC_STATE", 1),
    ("3DSTATE_DEPTH_STENCIL_STATE_POINTERS", "DEPTH_STENCIL_STATE", 1),
    ("3DSTATE_SCISSOR_STATE_POINTERS", "SCISSOR_RECT", 1),
];

/// Largest count of buffer lines; drivers choose it.
const LINES: usize = 32;

impl Printer<'_> {
    /// Prints what a command refers to.
    pub(super) fn references(&mut self, layout: &PacketLayout, words: &[u32]) {
        let name = layout.name;
        if let Some((_, structure, count)) = POINTERS.iter().find(|row| row.0 == name) {
            self.dynamic(layout, structure, *count, words);
        } else if name.starts_with("3DSTATE_BINDING_TABLE_POINTERS_") {
            self.binding_table(u64::from(words[1]), None);
        } else if name.starts_with("3DSTATE_SAMPLER_STATE_POINTERS_") {
            self.samplers(u64::from(words[1]), 1);
        } else if name.starts_with("3DSTATE_CONSTANT_") {
            self.constants(layout, words);
        }
        match name {
            "STATE_BASE_ADDRESS" => self.set_bases(layout, words),
            "MEDIA_INTERFACE_DESCRIPTOR_LOAD" => self.descriptors(layout, words),
            "3DSTATE_VERTEX_BUFFERS" => self.vertex_buffers(words),
            "3DSTATE_INDEX_BUFFER" => self.index_buffer(layout, words),
            "3DSTATE_VS" | "3DSTATE_GS" | "3DSTATE_DS" | "3DSTATE_HS" => self.kernel(layout, words),
            "3DSTATE_PS" => self.fragment_kernels(layout, words),
            "MI_LOAD_REGISTER_IMM" => self.registers(words),
            _ => {}
        }
    }

    fn set_bases(&mut self, layout: &PacketLayout, words: &[u32]) {
        let base = |name: &str| {
            let enable = layout.field(&format!("{name} Modify Enable"));
            enable.flag(words).then(|| layout.field(name).get(words))
        };
        self.bases.surface = base("Surface State Base Address").unwrap_or(self.bases.surface);
        self.bases.dynamic = base("Dynamic State Base Address").unwrap_or(self.bases.dynamic);
        self.bases.instruction = base("Instruction Base Address").unwrap_or(self.bases.instruction);
    }

    /// True if an object holds the address.
    fn mapped(&self, address: u64) -> bool {
        self.memory.object(address & 0xffff_ffff_ffff).is_some()
    }

    /// Prints structures at the pointer of a command.
    fn dynamic(&mut self, layout: &PacketLayout, mut structure: &str, usual: u32, words: &[u32]) {
        let mut pointer = Field::ABSENT;
        for item in &layout.items {
            if let Item::Field { name, field, .. } = item
                && (name.ends_with("Pointer") || name.starts_with("Pointer"))
            {
                pointer = *field;
                break;
            }
        }
        let start = self.bases.dynamic + pointer.get(words);
        if !self.mapped(start) {
            self.line(format_args!("  dynamic {structure} state unavailable"));
            return;
        }
        let mut address = start;
        if structure == "BLEND_STATE" {
            // A header, which older generations do not have, and an entry for each render target.
            self.line(format_args!("BLEND_STATE"));
            if let Some(header) = self.table.structure("BLEND_STATE") {
                self.structure(header, address);
                address += 4 * u64::from(header.words);
            }
            structure = "BLEND_STATE_ENTRY";
        }
        let Some(layout) = self.table.structure(structure) else { return };
        let count = self.count(start, layout.words, usual);
        for i in 0..count {
            self.line(format_args!("{structure} {i}"));
            self.structure(layout, address);
            address += 4 * u64::from(layout.words);
        }
    }

    /// Count of elements at an address: known, else usual.
    fn count(&self, address: u64, words: u32, usual: u32) -> u32 {
        match (self.sizes)(address) {
            Some(bytes) if bytes > 0 => bytes / (4 * words.max(1)),
            _ => usual,
        }
    }

    /// Prints the surfaces of a binding table at an offset from the surface base.
    fn binding_table(&mut self, offset: u64, count: Option<u32>) {
        let Some(layout) = self.table.structure("RENDER_SURFACE_STATE") else { return };
        let start = self.bases.surface + offset;
        let count = count.unwrap_or_else(|| self.count(start, 1, 8));
        if !offset.is_multiple_of(32) || offset >= 1 << 16 {
            self.line(format_args!("  invalid binding table pointer"));
            return;
        }
        if !self.mapped(start) {
            self.line(format_args!("  binding table unavailable"));
            return;
        }
        for i in 0..count {
            let Ok(pointer) = self.memory.read_u32(start + 4 * u64::from(i)) else { return };
            if pointer == 0 {
                continue;
            }
            let address = self.bases.surface + u64::from(pointer);
            let end = address + 4 * u64::from(layout.words);
            let object = self.memory.object(address & 0xffff_ffff_ffff);
            if pointer % 32 != 0 || object.is_none_or(|object| end >= object.end) {
                self.line(format_args!("pointer {i}: 0x{pointer:08x} <not valid>"));
                continue;
            }
            self.line(format_args!("pointer {i}: 0x{pointer:08x}"));
            self.structure(layout, address);
        }
    }

    fn samplers(&mut self, offset: u64, count: u64) {
        let Some(layout) = self.table.structure("SAMPLER_STATE") else { return };
        let address = self.bases.dynamic + offset;
        if !self.mapped(address) {
            self.line(format_args!("  samplers unavailable"));
            return;
        }
        if !offset.is_multiple_of(32) {
            self.line(format_args!("  invalid sampler state pointer"));
            return;
        }
        for i in 0..count {
            self.line(format_args!("sampler state {i}"));
            self.structure(layout, address + 4 * i * u64::from(layout.words));
        }
    }

    fn descriptors(&mut self, layout: &PacketLayout, words: &[u32]) {
        let Some(descriptor) = self.table.structure("INTERFACE_DESCRIPTOR_DATA") else { return };
        let offset = layout.field("Interface Descriptor Data Start Address").get(words);
        let bytes = layout.field("Interface Descriptor Total Length").get(words);
        let mut address = self.bases.dynamic + offset;
        if !self.mapped(address) {
            self.line(format_args!("  interface descriptors unavailable"));
            return;
        }
        for i in 0..bytes / (4 * u64::from(descriptor.words)) {
            self.line(format_args!("descriptor {i}: {offset:08x}"));
            self.structure(descriptor, address);
            let Ok(words) = self.memory.read_words(address, descriptor.words as usize) else {
                return;
            };
            let get = |name| descriptor.field(name).get(&words);
            self.program(get("Kernel Start Pointer"), "compute shader");
            self.line(format_args!(""));
            let samplers = get("Sampler Count");
            if samplers > 0 {
                self.samplers(get("Sampler State Pointer"), samplers);
            }
            let entries = descriptor.field("Binding Table Entry Count").get_u32(&words);
            if entries > 0 {
                self.binding_table(get("Binding Table Pointer"), Some(entries));
            }
            address += 4 * u64::from(descriptor.words);
        }
    }

    fn vertex_buffers(&mut self, words: &[u32]) {
        let Some(layout) = self.table.structure("VERTEX_BUFFER_STATE") else { return };
        for words in words[1..].chunks_exact(layout.words as usize) {
            let get = |name| layout.field(name).get(words);
            let start = get("Buffer Starting Address");
            let index = get("Vertex Buffer Index");
            let mapped = self.mapped(start);
            let size = if layout.field("End Address").exists() {
                let end = get("End Address");
                if mapped && end >= start { end + 1 - start } else { 0 }
            } else {
                get("Buffer Size")
            };
            self.line(format_args!("vertex buffer {index}, size {size}"));
            if !mapped {
                self.line(format_args!("  buffer contents unavailable"));
            } else if size > 0 {
                self.buffer(start, size, get("Buffer Pitch"), Some(LINES));
            }
        }
    }

    fn index_buffer(&mut self, layout: &PacketLayout, words: &[u32]) {
        let start = layout.field("Buffer Starting Address").get(words) & 0xffff_ffff_ffff;
        let Some(object) = self.memory.object(start) else {
            self.line(format_args!("  buffer contents unavailable"));
            return;
        };
        let bytes = layout.field("Buffer Size").get(words).min(object.end - start);
        let width = 1 << layout.field("Index Format").get(words);
        let mut at = 0;
        while at < bytes && at < 10 * width {
            let mut raw = [0; 8];
            #[allow(clippy::cast_possible_truncation, reason = "at most 8")]
            let count = width.min(8) as usize;
            if self.memory.read(start + at, &mut raw[..count]).is_err() {
                break;
            }
            self.out.push_str(&format!("{:3} ", u64::from_le_bytes(raw)));
            at += width;
        }
        self.line(format_args!("{}", if at < bytes { "..." } else { "" }));
    }

    fn constants(&mut self, layout: &PacketLayout, words: &[u32]) {
        let Some(body) = self.table.structure("3DSTATE_CONSTANT_BODY") else { return };
        let holds = |item: &Item| matches!(item, Item::Field { field, .. } if field.kind == Kind::Named(body.name));
        if !layout.items.iter().any(holds) {
            return;
        }
        for i in 0..4 {
            let length = body.field(&format!("Read Length[{i}]")).get(&words[1..]);
            let start = body.field(&format!("Buffer[{i}]")).get(&words[1..]);
            if length == 0 {
                continue;
            }
            if !self.mapped(start) {
                self.line(format_args!("constant buffer {i} unavailable"));
                continue;
            }
            self.line(format_args!("constant buffer {i}, size {}", 32 * length));
            self.buffer(start, 32 * length, 0, None);
        }
    }

    /// Prints double words of a buffer, those that look like floats as floats.
    fn buffer(&mut self, start: u64, size: u64, pitch: u64, max_lines: Option<usize>) {
        let start = start & 0xffff_ffff_ffff;
        let Some(object) = self.memory.object(start) else { return };
        let count = usize::try_from(size.min(object.end - start) / 4).unwrap_or(0);
        let Ok(words) = self.memory.read_words(start, count) else { return };
        let (mut column, mut in_pitch, mut lines) = (0, 0, 0);
        for word in words {
            if in_pitch * 4 == pitch || column == 8 {
                self.out.push('\n');
                column = 0;
                if in_pitch * 4 == pitch {
                    in_pitch = 0;
                }
                lines += 1;
                if max_lines.is_some_and(|max| lines > max) {
                    break;
                }
            }
            self.out.push_str(if column == 0 { "  " } else { " " });
            if is_probably_float(word) {
                self.out.push_str(&format!("  {:8.2}", f64::from(f32::from_bits(word))));
            } else {
                self.out.push_str(&format!("  0x{word:08x}"));
            }
            column += 1;
            in_pitch += 1;
        }
        self.out.push('\n');
    }

    fn kernel(&mut self, layout: &PacketLayout, words: &[u32]) {
        let enable = layout.field("Enable");
        if enable.exists() && !enable.flag(words) {
            return;
        }
        let scalar = layout.field("SIMD8 Dispatch Enable").flag(words);
        let stage = match (layout.name, scalar) {
            ("3DSTATE_DS", _) => "tessellation evaluation shader",
            ("3DSTATE_HS", _) => "tessellation control shader",
            ("3DSTATE_VS", true) => "SIMD8 vertex shader",
            ("3DSTATE_VS", false) => "vec4 vertex shader",
            (_, true) => "SIMD8 geometry shader",
            (_, false) => "vec4 geometry shader",
        };
        self.program(layout.field("Kernel Start Pointer").get(words), stage);
        self.line(format_args!(""));
    }

    fn fragment_kernels(&mut self, layout: &PacketLayout, words: &[u32]) {
        let enabled = [8, 16, 32]
            .map(|width| layout.field(&format!("{width} Pixel Dispatch Enable")).flag(words));
        let pointer = |i| layout.field(&format!("Kernel Start Pointer {i}")).get(words);
        let alone = enabled.iter().filter(|e| **e).count() == 1;
        // The order of the pointers is 8, 32, 16; a kernel that is alone is always the first.
        let slots = if alone { [0; 3] } else { [0, 2, 1] };
        for (i, width) in [8, 16, 32].into_iter().enumerate() {
            if enabled[i] {
                self.program(pointer(slots[i]), &format!("SIMD{width} fragment shader"));
            }
        }
        if enabled != [false; 3] {
            self.line(format_args!(""));
        }
    }

    /// Prints a kernel at an offset from the instruction base.
    fn program(&mut self, pointer: u64, stage: &str) {
        let address = self.bases.instruction + (pointer & 0xffff_ffff);
        if self.mapped(address) {
            self.line(format_args!("\nReferenced {stage}:"));
            self.kernels.print(self.memory, address, &mut self.out);
        }
    }

    /// Prints registers by their layouts. All show the value of the first, as the driver does.
    fn registers(&mut self, words: &[u32]) {
        let Some(&value) = words.get(2) else { return };
        for pair in words[1..].chunks_exact(2) {
            let Some(register) = self.table.register(pair[0]) else { continue };
            let offset = register.offset;
            self.line(format_args!("register {} (0x{offset:x}): 0x{value:x}", register.name));
            self.group(register, u64::from(offset), &words[2..], 0);
        }
    }
}

/// True if the bits are likely those of a float: zero, of a usual size, or with few digits.
fn is_probably_float(bits: u32) -> bool {
    let exponent = i64::from(bits >> 23 & 0xff) - 127;
    let mantissa = bits & 0x7f_ffff;
    (exponent == -127 && mantissa == 0) || (-30..=30).contains(&exponent) || mantissa & 0xffff == 0
}
