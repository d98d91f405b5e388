//! Fusion: additions that take in a multiplication and become a MAD.

use cranelift_entity::SecondaryMap;
use ir::{Alu, AluOp, InstKind, Shader, Value};

/// A multiplication that an addition takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FusedProduct {
    /// Value of the multiplication.
    product: Value,
    /// Its negation, if that is what the addition reads.
    negation: Option<Value>,
    /// Number of the addition's source that it is.
    source: usize,
}

/// A multiplication in the place of a source of an addition.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a> {
    /// The multiplication.
    pub mul: &'a Alu,
    /// Number of the addition's source that it is.
    pub source: usize,
    /// The addition reads its negation.
    pub is_negated: bool,
    /// Components of the multiplication that the addition reads.
    pub swizzle: [u8; 4],
}

/// A multiplication that may be fused.
struct Candidate {
    product: Value,
    negations: Vec<Value>,
    /// The additions that use it or a negation.
    users: Vec<(Value, FusedProduct)>,
    /// Uses by additions.
    direct_uses: u32,
}

impl Candidate {
    fn new(product: Value) -> Candidate {
        Candidate { product, negations: Vec::new(), users: Vec::new(), direct_uses: 0 }
    }
}

/// The multiplications that additions take in, by the addition's value.
pub(super) struct Fusions(SecondaryMap<Value, Option<FusedProduct>>);

impl Fusions {
    /// Chooses the additions that take in a multiplication. Returns with them the values that need
    /// no instruction: multiplications and negations whose every use is such an addition. None of
    /// them may be exact.
    ///
    /// `uses` counts the uses of values. `can_fuse` and `is_useful` are those of the target.
    pub(super) fn choose(
        shader: &Shader,
        uses: &SecondaryMap<Value, u32>,
        can_fuse: fn(&Shader, &Alu, Value) -> bool,
        is_useful: fn(&Shader, Value, &[Value]) -> bool,
    ) -> (Fusions, Vec<Value>) {
        let mut fused: SecondaryMap<Value, Option<FusedProduct>> = SecondaryMap::new();
        let mut skipped = Vec::new();
        for candidate in candidates(shader, can_fuse) {
            let Candidate { product, negations, users, direct_uses } = candidate;
            let sums: Vec<Value> = users.iter().map(|&(sum, _)| sum).collect();
            let negated_uses: u32 = negations.iter().map(|&negation| uses[negation]).sum();
            let only_sums = !sums.is_empty()
                && uses[product] == direct_uses + negations.len() as u32
                && sums.len() as u32 == direct_uses + negated_uses;
            let free = sums.iter().all(|&sum| fused[sum].is_none());
            let distinct = sums.iter().enumerate().all(|(i, sum)| !sums[..i].contains(sum));
            if !only_sums || !free || !distinct || !is_useful(shader, product, &sums) {
                continue;
            }
            for (sum, product) in users {
                fused[sum] = Some(product);
            }
            skipped.extend(negations.into_iter().chain([product]));
        }
        (Fusions(fused), skipped)
    }

    /// Returns the multiplication that the addition `sum` takes in.
    pub(super) fn product<'a>(&self, shader: &'a Shader, sum: Value) -> Option<Product<'a>> {
        let FusedProduct { product, negation, source } = self.0[sum]?;
        let outer = shader.as_alu(sum)?.srcs[source].swizzle;
        let swizzle = match negation.and_then(|negation| shader.as_alu(negation)) {
            Some(negation) => outer.map(|c| negation.srcs[0].swizzle[usize::from(c & 3)]),
            None => outer,
        };
        let mul = shader.as_alu(product)?;
        Some(Product { mul, source, is_negated: negation.is_some(), swizzle })
    }
}

/// Returns the multiplications, with the negations and additions that use them.
fn candidates(shader: &Shader, can_fuse: fn(&Shader, &Alu, Value) -> bool) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    // The candidate that a value is or negates.
    let mut index: SecondaryMap<Value, Option<usize>> = SecondaryMap::new();
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let data = &shader.insts[inst];
            let (InstKind::Alu(alu), Some(result)) = (&data.kind, data.result) else {
                continue;
            };
            if alu.exact || !can_fuse(shader, alu, result) {
                continue;
            }
            match alu.op {
                AluOp::Fadd | AluOp::Fsub => {
                    for (source, src) in alu.srcs.iter().enumerate() {
                        let Some(found) = index[src.value] else { continue };
                        let candidate = &mut candidates[found];
                        let product = candidate.product;
                        let negation = (src.value != product).then_some(src.value);
                        candidate.direct_uses += u32::from(negation.is_none());
                        candidate.users.push((result, FusedProduct { product, negation, source }));
                    }
                }
                AluOp::Fmul => {
                    index[result] = Some(candidates.len());
                    candidates.push(Candidate::new(result));
                }
                AluOp::Fneg => {
                    let negated = alu.srcs[0].value;
                    if let Some(found) = index[negated]
                        && candidates[found].product == negated
                    {
                        index[result] = Some(found);
                        candidates[found].negations.push(result);
                    }
                }
                _ => {}
            }
        }
    }
    candidates
}
