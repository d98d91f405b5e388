//! Multiply-add fusion.
//!
//! ```text
//! before:
//!   v3 = fmul v0, v1
//!   v4 = fadd v3, v2
//! after:
//!   v4 = ffma v0, v1, v2
//! ```

use super::rewrite::rewrite_alu;
use crate::cfg::use_counts;
use crate::inst::Src;
use crate::ops::AluOp;
use crate::shader::Shader;
use smallvec::SmallVec;

/// Fuses `a * b + c` into `ffma` where neither operation is exact and the product has no other use.
///
/// This changes results (one rounding less), so a program in which it makes progress is not exact.
/// Products below a negation fuse too.
pub fn opt_fuse_ffma(shader: &mut Shader) -> bool {
    let uses = use_counts(shader);
    rewrite_alu(shader, |b, alu, result| {
        if alu.op != AluOp::Fadd || alu.exact {
            return None;
        }
        let components = b.shader.components(result);
        for i in 0..2 {
            let (sum, addend) = (alu.srcs[i], alu.srcs[1 - i]);
            let mut factor = sum;
            let mut negate = false;
            if uses[factor.value] != 1 {
                continue;
            }
            let Some(mut inner) = b.shader.as_alu(factor.value) else { continue };
            if inner.op == AluOp::Fneg && uses[inner.srcs[0].value] == 1 {
                factor = compose(&inner.srcs[0], &factor);
                negate = true;
                match b.shader.as_alu(factor.value) {
                    Some(deeper) => inner = deeper,
                    None => continue,
                }
            }
            if inner.op != AluOp::Fmul || inner.exact {
                continue;
            }
            let mut srcs: SmallVec<[Src; 4]> =
                inner.srcs.iter().map(|s| compose(s, &factor)).collect();
            if negate {
                let negated = b.alu_src(AluOp::Fneg, &srcs[..1], components);
                srcs[0] = Src::new(negated);
            }
            srcs.push(addend);
            return Some(b.alu_src(AluOp::Ffma, &srcs, components));
        }
        None
    })
}

/// `inner` read through the swizzle of `outer`.
fn compose(inner: &Src, outer: &Src) -> Src {
    Src { value: inner.value, swizzle: outer.swizzle.map(|c| inner.swizzle[usize::from(c & 3)]) }
}
