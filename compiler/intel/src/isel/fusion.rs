//! Fusion: additions that take in a multiplication and become a MAD.

use super::{Selection, Target};
use cranelift_entity::SecondaryMap;
use ir::{Alu, AluOp, InstKind, Value};

/// A multiplication that an addition takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FusedProduct {
    /// Value of the multiplication.
    value: Value,
    /// Number of the addition's source that it is.
    source: usize,
}

impl<'a, T: Target> Selection<'a, T> {
    /// Chooses the additions that take in a multiplication, and skips the multiplications: those
    /// whose every use is such an addition. Neither may be exact.
    pub(super) fn choose_fusions(&mut self) {
        let shader = self.shader;
        // Multiplications, with the additions (value, source number) that use them.
        let mut candidates: Vec<(Value, Vec<(Value, usize)>)> = Vec::new();
        let mut index: SecondaryMap<Value, Option<usize>> = SecondaryMap::new();
        for block in shader.block_order() {
            for &inst in &shader.blocks[block].insts {
                let data = &shader.insts[inst];
                let (InstKind::Alu(alu), Some(result)) = (&data.kind, data.result) else {
                    continue;
                };
                if alu.exact || !T::can_fuse(shader, alu, result) {
                    continue;
                }
                match alu.op {
                    AluOp::Fadd | AluOp::Fsub => {
                        for (source, src) in alu.srcs.iter().enumerate() {
                            if let Some(candidate) = index[src.value] {
                                candidates[candidate].1.push((result, source));
                            }
                        }
                    }
                    AluOp::Fmul => {
                        index[result] = Some(candidates.len());
                        candidates.push((result, Vec::new()));
                    }
                    _ => {}
                }
            }
        }
        for (value, users) in candidates {
            let sums: Vec<Value> = users.iter().map(|&(sum, _)| sum).collect();
            let only_sums = !sums.is_empty() && sums.len() as u32 == self.uses[value];
            let free = sums.iter().all(|&sum| self.fused_products[sum].is_none());
            let distinct = sums.iter().enumerate().all(|(i, sum)| !sums[..i].contains(sum));
            let useful = T::is_fusion_useful(shader, value, &sums);
            if !only_sums || !free || !distinct || !useful {
                continue;
            }
            for (sum, source) in users {
                self.fused_products[sum] = Some(FusedProduct { value, source });
            }
            self.skipped[value] = true;
        }
    }

    /// Returns the multiplication that the addition `sum` takes in, and the number of the source
    /// that it is.
    pub fn fused_product(&self, sum: Value) -> Option<(&'a Alu, usize)> {
        let FusedProduct { value, source } = self.fused_products[sum]?;
        self.shader.as_alu(value).map(|alu| (alu, source))
    }
}
