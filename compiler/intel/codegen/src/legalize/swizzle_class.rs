//! Classes of logical dvec4 swizzles by how an instruction that reads one must be split.
//!
//! Every component of a source is in its first oword (`v`: x, y) or its second (`^`: z, w). The
//! owords that the first two components (rows of the table) and the last two (columns) read
//! determine the class:
//!
//! |    | vv | v^  | ^v  | ^^ |
//! |----|----|-----|-----|----|
//! | vv | A  | B   | B   | A  |
//! | v^ | Cy | Dyz | B   | B  |
//! | ^v | Cx | B   | Dxw | B  |
//! | ^^ | E  | Cz  | Cw  | A  |
//!
//! Two components *pair up* if they are equal modulo two. The scheme is Francisco Jerez's,
//! described in freedesktop.org's bug 92760, comment 82.

use crate::lir::{Rows, Swizzle, WRITEMASK_XYZW, acts_on_dwords};
use smallvec::SmallVec;
use vocabulary::{InternalError, Phase};

/// A splitting class with its subscript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SwizzleClass {
    /// One instruction.
    APlus,
    /// XW and YZ, of class A.
    AMinus,
    /// XW and YZ.
    B,
    /// Component i, and the other three together.
    CPlus(u8),
    /// Component i, component i^3, and the other two.
    CMinus(u8),
    /// XZ and YW.
    DPlus,
    /// Two components alone (YZ if true, else XW), and the other two together.
    DMinus(bool),
    /// Every component alone.
    E,
}

const X: u8 = 1;
const Y: u8 = 2;
const Z: u8 = 4;
const W: u8 = 8;

impl SwizzleClass {
    /// Every class with every subscript; classes with fewer instructions are first.
    pub(super) const ALL: [SwizzleClass; 15] = [
        SwizzleClass::APlus,
        SwizzleClass::AMinus,
        SwizzleClass::B,
        SwizzleClass::CPlus(0),
        SwizzleClass::CPlus(1),
        SwizzleClass::CPlus(2),
        SwizzleClass::CPlus(3),
        SwizzleClass::DPlus,
        SwizzleClass::CMinus(0),
        SwizzleClass::CMinus(1),
        SwizzleClass::CMinus(2),
        SwizzleClass::CMinus(3),
        SwizzleClass::DMinus(false),
        SwizzleClass::DMinus(true),
        SwizzleClass::E,
    ];

    /// The class of a swizzle all of whose components count.
    pub(super) fn of(swizzle: Swizzle) -> SwizzleClass {
        let s = [0, 1, 2, 3].map(|c| swizzle.get(c));
        let pairs = |a: usize, b: usize| s[a] % 2 == s[b] % 2;
        let both_pair = pairs(0, 2) && pairs(1, 3);
        let c = |i: usize| {
            if pairs(i ^ 1, i ^ 3) {
                SwizzleClass::CPlus(i as u8)
            } else {
                SwizzleClass::CMinus(i as u8)
            }
        };
        let upper = s.map(|component| component >= 2);
        match upper {
            [false, false, false, false]
            | [false, false, true, true]
            | [true, true, true, true] => {
                if both_pair {
                    SwizzleClass::APlus
                } else {
                    SwizzleClass::AMinus
                }
            }
            [true, true, false, false] => SwizzleClass::E,
            [true, false, false, false] => c(0),
            [false, true, false, false] => c(1),
            [true, true, false, true] => c(2),
            [true, true, true, false] => c(3),
            [false, true, false, true] | [true, false, true, false] => {
                if both_pair {
                    SwizzleClass::DPlus
                } else {
                    SwizzleClass::DMinus(upper[1])
                }
            }
            _ => SwizzleClass::B,
        }
    }

    /// Writemasks of the instructions.
    pub(super) fn writemasks(self) -> SmallVec<[u8; 4]> {
        let alone = |i: u8| 1 << (i & 3);
        let masks: &[u8] = match self {
            SwizzleClass::APlus => &[WRITEMASK_XYZW],
            SwizzleClass::AMinus | SwizzleClass::B => &[X | W, Y | Z],
            SwizzleClass::CPlus(i) => &[alone(i), WRITEMASK_XYZW & !alone(i)],
            SwizzleClass::CMinus(i) => &[alone(i), alone(i ^ 3), alone(i ^ 1) | alone(i ^ 2)],
            SwizzleClass::DPlus => &[X | Z, Y | W],
            SwizzleClass::DMinus(true) => &[Y, Z, X | W],
            SwizzleClass::DMinus(false) => &[X, W, Y | Z],
            SwizzleClass::E => &[X, Y, Z, W],
        };
        SmallVec::from_slice(masks)
    }

    /// The writemasks within `mask`.
    fn writemasks_within(self, mask: u8) -> SmallVec<[u8; 4]> {
        self.writemasks().into_iter().map(|part| part & mask).filter(|part| *part != 0).collect()
    }

    /// Splitting by this class makes the components of `mask` encodable: a swizzle may be demoted
    /// to any class that supports it.
    pub(super) fn supports(self, swizzle: Swizzle, mask: u8) -> bool {
        self.writemasks_within(mask).into_iter().all(|part| encodable(swizzle, part))
    }
}

/// An instruction that writes the components of `mask` can read a source through `swizzle`.
pub(super) fn encodable(swizzle: Swizzle, mask: u8) -> bool {
    Rows::of(swizzle, mask).is_some_and(|rows| rows.step(false).is_some())
}

/// Writemasks that together make `mask`, each of which can be encoded with a source read through
/// `swizzle`: by the swizzle's class, or for fewer than four components by the class that makes
/// fewest masks.
pub(super) fn split(swizzle: Swizzle, mask: u8) -> SmallVec<[u8; 4]> {
    if encodable(swizzle, mask) {
        return SmallVec::from_slice(&[mask]);
    }
    if mask == WRITEMASK_XYZW {
        return SwizzleClass::of(swizzle).writemasks();
    }
    let legal = SwizzleClass::ALL.into_iter().filter(|class| class.supports(swizzle, mask));
    legal.map(|class| class.writemasks_within(mask)).min_by_key(|masks| cost(masks)).unwrap_or_else(
        || InternalError::new(Phase::Lower, format!("no class splits {swizzle:?}")).raise(),
    )
}

/// Number of instructions in the end: XY and ZW must be split again (`align16-df-writemask`).
fn cost(masks: &[u8]) -> usize {
    masks.iter().map(|part| if acts_on_dwords(*part) { 2 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swizzles() -> impl Iterator<Item = Swizzle> {
        (0..=255).map(Swizzle)
    }

    fn kind(class: SwizzleClass) -> &'static str {
        match class {
            SwizzleClass::APlus => "A+",
            SwizzleClass::AMinus => "A-",
            SwizzleClass::B => "B",
            SwizzleClass::CPlus(_) => "C+",
            SwizzleClass::CMinus(_) => "C-",
            SwizzleClass::DPlus => "D+",
            SwizzleClass::DMinus(_) => "D-",
            SwizzleClass::E => "E",
        }
    }

    #[test]
    fn counts_of_classes() {
        let counts = [
            ("A+", 12),
            ("A-", 36),
            ("B", 96),
            ("C+", 32),
            ("C-", 32),
            ("D+", 8),
            ("D-", 24),
            ("E", 16),
        ];
        for (name, count) in counts {
            let found = swizzles().filter(|s| kind(SwizzleClass::of(*s)) == name).count();
            assert_eq!(found, count, "{name}");
        }
        // Subscripts are evenly spread.
        for i in 0..4 {
            let is = |class| swizzles().filter(|s| SwizzleClass::of(*s) == class).count();
            assert_eq!(is(SwizzleClass::CPlus(i)) + is(SwizzleClass::CMinus(i)), 16);
        }
    }

    /// Fewest encodable masks over every partition of the components of `left`.
    fn fewest(swizzle: Swizzle, left: u8) -> usize {
        if left == 0 {
            return 0;
        }
        let first = left & left.wrapping_neg();
        let masks = (1..=left).filter(|p| p & !left == 0 && p & first != 0);
        let masks = masks.filter(|p| encodable(swizzle, *p) && !acts_on_dwords(*p));
        masks
            .map(|p| 1 + fewest(swizzle, left & !p))
            .min()
            .expect("single components are encodable")
    }

    #[test]
    fn splits_are_encodable_complete_and_minimal() {
        let mut by_count = [0; 5];
        for swizzle in swizzles() {
            for mask in 1..=WRITEMASK_XYZW {
                let masks = split(swizzle, mask);
                assert_eq!(masks.iter().fold(0, |all, p| all | p), mask);
                assert_eq!(masks.iter().map(|p| p.count_ones()).sum::<u32>(), mask.count_ones());
                assert!(masks.iter().all(|p| encodable(swizzle, *p)), "{swizzle:?} {mask:#x}");
                let whole = encodable(swizzle, mask);
                assert_eq!(whole, masks.len() == 1);
                assert!(whole || cost(&masks) == fewest(swizzle, mask), "{swizzle:?} {mask:#x}");
            }
            by_count[split(swizzle, WRITEMASK_XYZW).len()] += 1;
        }
        assert_eq!(by_count, [0, 12, 172, 56, 16]);
    }

    #[test]
    fn demotions() {
        let demotes = |from: &str, to: &str| {
            swizzles().filter(|s| kind(SwizzleClass::of(*s)) == from).all(|s| {
                let mut classes = SwizzleClass::ALL.into_iter().filter(|c| kind(*c) == to);
                classes.any(|c| c.supports(s, WRITEMASK_XYZW))
            })
        };
        let legal = [
            ("A+", "A-"),
            ("A-", "B"),
            ("B", "A-"),
            ("B", "C-"),
            ("A-", "C-"),
            ("C-", "D-"),
            ("D-", "E"),
            ("C+", "C-"),
            ("D+", "D-"),
            ("C+", "D-"),
            ("A+", "E"),
        ];
        let illegal = [
            ("A-", "A+"),
            ("B", "A+"),
            ("B", "C+"),
            ("A-", "C+"),
            ("B", "D+"),
            ("C-", "C+"),
            ("C+", "B"),
            ("C-", "B"),
            ("C-", "D+"),
            ("C+", "D+"),
            ("D-", "D+"),
            ("D+", "B"),
            ("E", "D-"),
            ("E", "C-"),
        ];
        for (from, to) in legal {
            assert!(demotes(from, to), "{from} → {to}");
        }
        for (from, to) in illegal {
            assert!(!demotes(from, to), "{from} → {to}");
        }
    }
}
