//! Compute: work groups of a `GPGPU_WALKER`.

use eu_simulator::Thread;
use gpu_service::{Outcome, not_modeled};
use vocabulary::Width;

use super::Drawing;
use super::command::Draw;
use super::shaders::stage::UrbStage;
use super::thread::bindings::Resources;
use super::thread::scratch;
use crate::context::HardwareContext;
use crate::mi::predicate_holds;

/// Registers with the number of groups of an indirect dispatch.
const INDIRECT: [u32; 3] = [0x2500, 0x2504, 0x2508];
/// Counter of invocations.
const INVOCATIONS: u32 = 0x2290;
/// Bytes of an interface descriptor.
const DESCRIPTOR_BYTES: u64 = 32;

impl Drawing {
    /// Executes the work groups of a walker.
    pub(crate) fn compute(
        &self,
        memory: &dyn packets::Memory,
        context: &mut HardwareContext,
        words: &[u32],
    ) -> Outcome<()> {
        if self.fields.walker.is_predicated.flag(words) && !predicate_holds(context) {
            return Ok(());
        }
        let Some(draw) = self.begin(memory, context, false) else {
            return not_modeled("work groups without hardware");
        };
        let invocations = draw.walk(words)?;
        let count = context.registers.get_u64(INVOCATIONS);
        context.registers.set_u64(INVOCATIONS, count + invocations);
        Ok(())
    }
}

impl Draw<'_> {
    /// Executes all work groups and returns the number of invocations.
    fn walk(&self, words: &[u32]) -> Outcome<u64> {
        let walker = self.fields.walker;
        let descriptor = self.descriptor(walker.descriptor.get(words))?;
        let fields = self.fields.descriptor;
        let get = |field: packets::Field| field.get(&descriptor);
        let kernel = self.context.instruction_base + get(fields.kernel);
        let table = self.context.surface_base + get(fields.table);
        let samplers = self.context.dynamic_base + get(fields.samplers);
        if fields.rounding.flag(&descriptor) {
            return not_modeled("rounding modes of kernels");
        }
        let (width, name) = match walker.width.get(words) {
            0 => (8_u32, Width::Simd8),
            1 => (16, Width::Simd16),
            _ => (32, Width::Simd32),
        };
        let resources = Resources::new(self, table, samplers);
        let media = self.context.packet("MEDIA_VFE_STATE");
        let scratch = self.fields.media.scratch.get(media);
        let scratch = scratch::bytes_of_group(scratch, self.facts.group_scratch);
        let stage = UrbStage::of_kernel(self, (name, scratch), kernel, resources)?;
        let threads = get(fields.threads).max(1);
        let first = [walker.first_x, walker.first_y, walker.first_z].map(|f| f.get_u32(words));
        let mut end = [walker.end_x, walker.end_y, walker.end_z].map(|f| f.get_u32(words));
        if walker.is_indirect.flag(words) {
            end = INDIRECT.map(|offset| self.context.registers.get(offset));
        }
        let shared = get(fields.cross_thread);
        let own = get(fields.own);
        let constants = self.curbe(shared + own * threads)?;
        let right = walker.right_mask.get_u32(words);
        let mut invocations = 0;
        for z in first[2]..end[2] {
            for y in first[1]..end[1] {
                for x in first[0]..end[0] {
                    let mut group = Vec::new();
                    for number in 0..threads {
                        let (mut thread, _) = stage.thread();
                        stage.set_header(&mut thread, [0, x, 0, 0, 0, 0, y, z]);
                        let start = (shared + number * own) as usize;
                        let data = constants[..shared as usize]
                            .iter()
                            .chain(&constants[start..start + own as usize]);
                        data.enumerate().for_each(|(i, data)| thread.set_register(1 + i, data));
                        let all = u32::MAX >> (32 - width);
                        let mask = if number + 1 == threads { right & all } else { all };
                        invocations += u64::from(mask.count_ones());
                        thread.set_dispatch_mask(mask);
                        group.push(thread);
                    }
                    self.run_group(&stage, group)?;
                }
            }
        }
        Ok(invocations)
    }

    fn run_group(&self, stage: &UrbStage<'_>, group: Vec<Thread>) -> Outcome<()> {
        stage.run(group, Vec::new()).map(|_| ())
    }

    /// Words of an interface descriptor.
    fn descriptor(&self, index: u64) -> Outcome<Vec<u32>> {
        let words = self.context.packet("MEDIA_INTERFACE_DESCRIPTOR_LOAD");
        let start = self.context.dynamic_base + self.fields.descriptors.start.get(words);
        Ok(self.memory.read_words(start + DESCRIPTOR_BYTES * index, 8)?)
    }

    /// Reads constants of all threads, in registers.
    fn curbe(&self, count: u64) -> Outcome<Vec<[u32; 8]>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let words = self.context.packet("MEDIA_CURBE_LOAD");
        let start = self.context.dynamic_base + self.fields.curbe.start.get(words);
        let register = |i: u64| {
            let words = self.memory.read_words(start + 32 * i, 8)?;
            Ok(std::array::from_fn(|i| words[i]))
        };
        (0..count).map(register).collect()
    }
}
