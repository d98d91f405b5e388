//! Values and masks of several invocations that run in lockstep.

use smallvec::{SmallVec, smallvec};

/// Set of lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mask {
    words: SmallVec<[u64; 1]>,
}

impl Mask {
    /// Creates an empty mask of `lanes` lanes.
    pub fn none(lanes: usize) -> Mask {
        Mask { words: smallvec![0; lanes.div_ceil(64).max(1)] }
    }

    /// Creates a mask of the first `lanes` lanes.
    pub fn all(lanes: usize) -> Mask {
        let mut mask = Mask::none(lanes);
        for (i, word) in mask.words.iter_mut().enumerate() {
            let rest = lanes.saturating_sub(i * 64);
            *word = if rest >= 64 { u64::MAX } else { (1 << rest) - 1 };
        }
        mask
    }

    /// True if a lane is in the mask.
    pub fn contains(&self, lane: usize) -> bool {
        self.words.get(lane / 64).is_some_and(|w| w >> (lane % 64) & 1 != 0)
    }

    /// Adds or removes a lane.
    pub fn set(&mut self, lane: usize, on: bool) {
        let bit = 1 << (lane % 64);
        if let Some(word) = self.words.get_mut(lane / 64) {
            *word = if on { *word | bit } else { *word & !bit };
        }
    }

    /// True if any lane is in the mask.
    pub fn any(&self) -> bool {
        self.words.iter().any(|&w| w != 0)
    }

    /// Returns the number of lanes in the mask.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|w| w.count_ones()).sum()
    }

    fn zip(&self, other: &Mask, f: impl Fn(u64, u64) -> u64) -> Mask {
        if let ([a], [b]) = (&self.words[..], &other.words[..]) {
            return Mask::of_word(f(*a, *b));
        }
        Mask { words: self.words.iter().zip(&other.words).map(|(&a, &b)| f(a, b)).collect() }
    }

    /// Returns the lanes in both.
    pub fn and(&self, other: &Mask) -> Mask {
        self.zip(other, |a, b| a & b)
    }

    /// Returns the lanes in either.
    pub fn or(&self, other: &Mask) -> Mask {
        self.zip(other, |a, b| a | b)
    }

    /// Returns the lanes in `self` and not in `other`.
    pub fn minus(&self, other: &Mask) -> Mask {
        self.zip(other, |a, b| a & !b)
    }

    /// Creates a mask of up to 64 lanes from their bits.
    pub(crate) fn of_word(word: u64) -> Mask {
        Mask { words: smallvec![word] }
    }

    /// Returns the bits of the first 64 lanes.
    pub(crate) fn first_word(&self) -> u64 {
        self.words.first().copied().unwrap_or(0)
    }

    /// Returns the lanes of the mask in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    i * 64 + bit
                })
            })
        })
    }
}

/// Value of any type in every lane: the type's scalar components flattened, component-major.
///
/// Booleans are 0 or 1, integers sign- or zero-extended, floating-point values their bit patterns;
/// opaque values are slot numbers.
#[derive(Clone, Debug)]
pub struct Value {
    lanes: usize,
    cells: Cells,
    /// Marks of components that came from an undefined operation, [`Value::words`] per component, a
    /// bit for each lane; empty when there is none.
    undefined: Vec<u64>,
}

/// Components of a value in every lane.
#[derive(Clone, Debug)]
enum Cells {
    /// Of any type: one component after the other.
    Wide(SmallVec<[u64; 16]>),
    /// Of one type of 32 bits: a row for each component. Lanes past the last have any contents.
    Narrow {
        rows: Vec<[u32; 64]>,
        /// `int`: components are sign-extended.
        signed: bool,
    },
}

/// A component of 32 bits as a cell.
pub(crate) fn extend(bits: u32, signed: bool) -> u64 {
    if signed { bits as i32 as i64 as u64 } else { u64::from(bits) }
}

/// Fewest lanes for which rows of 64 lanes take less time than single components.
const FEWEST_NARROW_LANES: usize = 16;

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        let same = |c, lane| {
            self.get(c, lane) == other.get(c, lane)
                && self.is_undefined(c, lane) == other.is_undefined(c, lane)
        };
        self.lanes == other.lanes
            && self.components() == other.components()
            && (0..self.components()).all(|c| (0..self.lanes).all(|lane| same(c, lane)))
    }
}

impl Eq for Value {}

impl Value {
    /// Creates an all-zero value of `components` components.
    pub fn zero(components: usize, lanes: usize) -> Value {
        Value::of_cells(smallvec![0; components * lanes], lanes)
    }

    /// Creates a value with the same component in every lane.
    pub fn uniform(bits: u64, lanes: usize) -> Value {
        Value::of_cells(smallvec![bits; lanes], lanes)
    }

    fn of_cells(cells: SmallVec<[u64; 16]>, lanes: usize) -> Value {
        Value { lanes, cells: Cells::Wide(cells), undefined: Vec::new() }
    }

    /// Creates a value of components of one type of 32 bits from their rows and marks, for at most
    /// 64 lanes; `signed` for `int`.
    pub(crate) fn of_rows<'r>(
        rows: impl ExactSizeIterator<Item = (&'r [u32; 64], u64)>,
        lanes: usize,
        signed: bool,
    ) -> Value {
        if lanes < FEWEST_NARROW_LANES {
            let mut value = Value::zero(rows.len(), lanes);
            for (component, (row, marks)) in rows.enumerate() {
                value.write_row(component, u64::MAX, row, marks, signed);
            }
            return value;
        }
        let all = all_lanes(lanes);
        let mut marked = false;
        let (rows, marks): (Vec<_>, Vec<_>) = rows
            .map(|(row, marks)| {
                marked |= marks & all != 0;
                (*row, marks & all)
            })
            .unzip();
        let undefined = if marked { marks } else { Vec::new() };
        Value { lanes, cells: Cells::Narrow { rows, signed }, undefined }
    }

    /// Creates a value of undefined components.
    pub fn undefined(components: usize, lanes: usize) -> Value {
        let mut value = Value::zero(components, lanes);
        let marks = Mask::all(lanes);
        value.undefined = (0..components).flat_map(|_| marks.words.iter().copied()).collect();
        value
    }

    /// Stores components as rows, if that pays: they are of one type of 32 bits, which is `int` if
    /// `signed`.
    pub(crate) fn make_narrow(&mut self, signed: bool) {
        if !(FEWEST_NARROW_LANES..=64).contains(&self.lanes) {
            return;
        }
        let Cells::Wide(cells) = &self.cells else { return };
        let row = |cells: &[u64]| {
            let mut row = [0; 64];
            row.iter_mut().zip(cells).for_each(|(to, &cell)| *to = cell as u32);
            row
        };
        let rows = cells.chunks_exact(self.lanes).map(row).collect();
        self.cells = Cells::Narrow { rows, signed };
    }

    /// True if the value has rows for this number of components of this kind.
    pub(crate) fn is_narrow(&self, components: usize, int: bool) -> bool {
        matches!(&self.cells, Cells::Narrow { rows, signed } if rows.len() == components && *signed == int)
    }

    /// Overwrites a component in every lane with a defined value.
    pub(crate) fn fill(&mut self, component: usize, bits: u64) {
        (0..self.lanes).for_each(|lane| self.set(component, lane, bits));
    }

    /// Returns the number of lanes.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Returns the number of components.
    pub fn components(&self) -> usize {
        match &self.cells {
            Cells::Wide(cells) => cells.len() / self.lanes.max(1),
            Cells::Narrow { rows, .. } => rows.len(),
        }
    }

    /// Returns one component of a lane.
    pub fn get(&self, component: usize, lane: usize) -> u64 {
        match &self.cells {
            Cells::Wide(cells) => cells.get(component * self.lanes + lane).copied().unwrap_or(0),
            Cells::Narrow { rows, signed } => rows
                .get(component)
                .and_then(|row| row.get(lane))
                .map_or(0, |&bits| extend(bits, *signed)),
        }
    }

    /// Overwrites one component of a lane with a defined value.
    pub fn set(&mut self, component: usize, lane: usize, bits: u64) {
        self.set_cell(component, lane, bits);
        if !self.undefined.is_empty() {
            let word = component * self.words() + lane / 64;
            if let Some(word) = self.undefined.get_mut(word) {
                *word &= !(1 << (lane % 64));
            }
        }
    }

    fn set_cell(&mut self, component: usize, lane: usize, bits: u64) {
        match &mut self.cells {
            Cells::Wide(cells) => {
                if let Some(cell) = cells.get_mut(component * self.lanes + lane) {
                    *cell = bits;
                }
            }
            Cells::Narrow { rows, .. } => {
                if let Some(cell) = rows.get_mut(component).and_then(|row| row.get_mut(lane)) {
                    *cell = bits as u32;
                }
            }
        }
    }

    /// Words of marks per component.
    fn words(&self) -> usize {
        self.lanes.div_ceil(64).max(1)
    }

    /// The marks of 64 lanes of a component.
    fn marks(&self, component: usize, word: usize) -> u64 {
        self.undefined.get(component * self.words() + word).copied().unwrap_or(0)
    }

    /// True if a component of a lane came from an undefined operation.
    pub fn is_undefined(&self, component: usize, lane: usize) -> bool {
        !self.undefined.is_empty() && self.marks(component, lane / 64) >> (lane % 64) & 1 != 0
    }

    /// Returns those of four components (bit n: component n) that are undefined in some of these
    /// lanes.
    pub fn undefined_components(&self, lanes: &Mask) -> u8 {
        let undefined = |c: usize| lanes.iter().any(|lane| self.is_undefined(c, lane));
        (0..4).filter(|&c| undefined(c)).fold(0, |mask, c| mask | 1 << c)
    }

    /// Marks a component of a lane as undefined.
    pub fn mark_undefined(&mut self, component: usize, lane: usize) {
        self.write_marks(component, lane / 64, 1 << (lane % 64), u64::MAX);
    }

    /// Overwrites the marks of the lanes of `mask` among 64 lanes of a component.
    fn write_marks(&mut self, component: usize, word: usize, mask: u64, marks: u64) {
        if self.undefined.is_empty() {
            if marks & mask == 0 {
                return;
            }
            self.undefined = vec![0; self.components() * self.words()];
        }
        let word = component * self.words() + word;
        if let Some(word) = self.undefined.get_mut(word) {
            *word = *word & !mask | marks & mask;
        }
    }

    /// True if every component is defined.
    pub fn all_defined(&self) -> bool {
        self.undefined.iter().all(|&marks| marks == 0)
    }

    /// Copies a component of a lane with its mark.
    pub fn copy_component(
        &mut self,
        component: usize,
        lane: usize,
        from: &Value,
        from_component: usize,
    ) {
        self.set(component, lane, from.get(from_component, lane));
        if from.is_undefined(from_component, lane) {
            self.mark_undefined(component, lane);
        }
    }

    /// Copies a component of the lanes of `mask`, with their marks.
    pub fn copy_lanes(
        &mut self,
        component: usize,
        mask: &Mask,
        from: &Value,
        from_component: usize,
    ) {
        let (start, lanes) = (component * self.lanes, self.lanes);
        match (&mut self.cells, &from.cells) {
            (Cells::Wide(cells), Cells::Wide(_)) if from.row(from_component).len() == lanes => {
                if let Some(row) = cells.get_mut(start..start + lanes) {
                    blend(row, from.row(from_component), mask);
                }
            }
            (Cells::Narrow { rows, .. }, Cells::Narrow { rows: source, .. }) => {
                if let (Some(row), Some(source)) =
                    (rows.get_mut(component), source.get(from_component))
                {
                    blend_row(row, source, mask.first_word());
                }
            }
            _ => {
                for lane in mask.iter() {
                    self.set_cell(component, lane, from.get(from_component, lane));
                }
            }
        }
        if self.undefined.is_empty() && from.undefined.is_empty() {
            return;
        }
        for (word, &lanes) in mask.words.iter().enumerate() {
            self.write_marks(component, word, lanes, from.marks(from_component, word));
        }
    }

    /// Copies a component of all lanes, with their marks.
    pub(crate) fn copy_row(&mut self, component: usize, from: &Value, from_component: usize) {
        self.copy_lanes(component, &Mask::all(self.lanes), from, from_component);
    }

    /// A component of a wide value in all lanes; empty if there is no such component.
    fn row(&self, component: usize) -> &[u64] {
        let Cells::Wide(cells) = &self.cells else { return &[] };
        cells.get(component * self.lanes..(component + 1) * self.lanes).unwrap_or(&[])
    }

    /// Copies the lower halves of a component in the first lanes.
    pub fn lower_halves(&self, component: usize, to: &mut [u32]) {
        match &self.cells {
            Cells::Narrow { rows, .. } if to.len() <= 64 => match rows.get(component) {
                Some(row) => to.copy_from_slice(&row[..to.len()]),
                None => to.fill(0),
            },
            _ => {
                for (lane, to) in to.iter_mut().enumerate() {
                    *to = self.get(component, lane) as u32;
                }
            }
        }
    }

    /// Copies the lower halves of a component, 64 lanes at most; returns the undefined lanes. A
    /// component that does not exist is zero.
    pub(crate) fn read_row(&self, component: usize, to: &mut [u32; 64]) -> u64 {
        if let Cells::Narrow { rows, .. } = &self.cells {
            *to = rows.get(component).copied().unwrap_or([0; 64]);
        } else {
            let row = self.row(component);
            if row.is_empty() {
                *to = [0; 64];
            }
            for (to, &cell) in to.iter_mut().zip(row) {
                *to = cell as u32;
            }
        }
        self.marks(component, 0)
    }

    /// Overwrites the lanes of `mask` of a component, 64 at most, with 32-bit numbers, which are
    /// sign-extended if `signed`; `undefined` has the marks.
    pub(crate) fn write_row(
        &mut self,
        component: usize,
        mask: u64,
        from: &[u32; 64],
        undefined: u64,
        signed: bool,
    ) {
        let lanes = self.lanes.min(64);
        let (start, all) = (component * self.lanes, all_lanes(lanes));
        match &mut self.cells {
            Cells::Narrow { rows, .. } => {
                let Some(row) = rows.get_mut(component) else { return };
                blend_row(row, from, if mask & all == all { u64::MAX } else { mask });
            }
            Cells::Wide(cells) => {
                let Some(row) = cells.get_mut(start..start + lanes) else { return };
                if mask & all == all {
                    row.iter_mut().zip(from).for_each(|(to, &x)| *to = extend(x, signed));
                } else {
                    for (lane, (to, &x)) in row.iter_mut().zip(from).enumerate() {
                        *to = if mask >> lane & 1 != 0 { extend(x, signed) } else { *to };
                    }
                }
            }
        }
        self.write_marks(component, 0, mask & all, undefined);
    }

    /// Returns the components `first .. first + count` in every lane.
    pub fn slice(&self, first: usize, count: usize) -> Value {
        let (start, end) = (first * self.lanes, (first + count) * self.lanes);
        let cells = match &self.cells {
            Cells::Wide(cells) => Cells::Wide(
                cells
                    .get(start..end)
                    .map(SmallVec::from_slice)
                    .unwrap_or_else(|| smallvec![0; end - start]),
            ),
            Cells::Narrow { rows, signed } => Cells::Narrow {
                rows: rows
                    .get(first..first + count)
                    .map_or_else(|| vec![[0; 64]; count], <[_]>::to_vec),
                signed: *signed,
            },
        };
        let words = self.words();
        let undefined = self.undefined.get(first * words..(first + count) * words);
        Value { lanes: self.lanes, cells, undefined: undefined.unwrap_or(&[]).to_vec() }
    }

    /// Returns the chosen components in order.
    pub fn select(&self, components: &[u8]) -> Value {
        let mut result = Value::zero(components.len(), self.lanes);
        if let Cells::Narrow { signed, .. } = self.cells {
            result.cells = Cells::Narrow { rows: vec![[0; 64]; components.len()], signed };
        }
        for (to, &from) in components.iter().enumerate() {
            result.copy_row(to, self, from as usize);
        }
        result
    }

    /// Returns the components of one value where those of this one are not zero, else of another:
    /// values of the same size. The one that is not chosen may be undefined.
    pub fn choose(&self, if_true: &Value, if_false: &Value) -> Value {
        let choice = |x, y, chosen| if chosen != 0 { y } else { x };
        let mut result = if_false.zip3(if_true, self, choice);
        if result.undefined.is_empty() {
            return result;
        }
        for c in 0..result.components() {
            for lane in 0..self.lanes {
                let chosen = if self.get(c, lane) != 0 { if_true } else { if_false };
                let undefined = self.is_undefined(c, lane) || chosen.is_undefined(c, lane);
                let marks = if undefined { u64::MAX } else { 0 };
                result.write_marks(c, lane / 64, 1 << (lane % 64), marks);
            }
        }
        result
    }

    /// Returns the components of several values one after the other, cut to `components`.
    pub fn concat(parts: &[Value], components: usize, lanes: usize) -> Value {
        let mut result = Value::zero(components, lanes);
        let cells = parts.iter().flat_map(|part| (0..part.components()).map(move |c| (part, c)));
        for (to, (part, from)) in cells.take(components).enumerate() {
            result.copy_row(to, part, from);
        }
        result
    }

    /// Returns the first component in every component of the result.
    pub fn splat(&self, components: usize) -> Value {
        self.select(&vec![0; components])
    }

    /// The components of a value of any kind, one after the other.
    fn wide_cells(&self) -> SmallVec<[u64; 16]> {
        match &self.cells {
            Cells::Wide(cells) => cells.clone(),
            Cells::Narrow { rows, signed } => {
                let lanes = rows.iter().flat_map(|row| row.iter().take(self.lanes));
                lanes.map(|&bits| extend(bits, *signed)).collect()
            }
        }
    }

    /// Applies a function to every component of every lane.
    pub fn map(&self, f: impl Fn(u64) -> u64) -> Value {
        let mut cells = self.wide_cells();
        for x in &mut cells {
            *x = f(*x);
        }
        Value { undefined: self.undefined.clone(), ..Value::of_cells(cells, self.lanes) }
    }

    /// Applies a function to the components of two values of the same size.
    pub fn zip(&self, other: &Value, f: impl Fn(u64, u64) -> u64) -> Value {
        let (mut cells, others) = (self.wide_cells(), other.wide_cells());
        cells.truncate(others.len());
        for (x, y) in cells.iter_mut().zip(others) {
            *x = f(*x, y);
        }
        let undefined = either(&self.undefined, &other.undefined);
        Value { undefined, ..Value::of_cells(cells, self.lanes) }
    }

    /// Applies a function to the components of three values of the same size.
    pub fn zip3(&self, b: &Value, c: &Value, f: impl Fn(u64, u64, u64) -> u64) -> Value {
        let (mut cells, second, third) = (self.wide_cells(), b.wide_cells(), c.wide_cells());
        cells.truncate(second.len().min(third.len()));
        for ((x, y), z) in cells.iter_mut().zip(second).zip(third) {
            *x = f(*x, y, z);
        }
        let undefined = either(&either(&self.undefined, &b.undefined), &c.undefined);
        Value { undefined, ..Value::of_cells(cells, self.lanes) }
    }

    /// Applies a function to all components of each lane; every result component is undefined where
    /// any operand component is.
    pub fn reduce(
        operands: &[&Value],
        components: usize,
        f: impl Fn(&[&[u64]], &mut [u64]),
    ) -> Value {
        let lanes = operands.first().map_or(0, |v| v.lanes);
        let mut result = Value::zero(components, lanes);
        let mut gathered: Vec<Vec<u64>> =
            operands.iter().map(|v| vec![0; v.components()]).collect();
        let mut out = vec![0; components];
        for lane in 0..lanes {
            let mut undefined = false;
            for (values, operand) in gathered.iter_mut().zip(operands) {
                for (c, value) in values.iter_mut().enumerate() {
                    *value = operand.get(c, lane);
                    undefined |= operand.is_undefined(c, lane);
                }
            }
            let views: SmallVec<[&[u64]; 4]> = gathered.iter().map(Vec::as_slice).collect();
            f(&views, &mut out);
            for (c, &bits) in out.iter().enumerate() {
                result.set(c, lane, bits);
                if undefined {
                    result.mark_undefined(c, lane);
                }
            }
        }
        result
    }

    /// Returns the lanes of `mask` whose first component is not zero.
    pub fn truth(&self, mask: &Mask) -> Mask {
        let mut result = Mask::none(self.lanes);
        mask.iter().filter(|&lane| self.get(0, lane) != 0).for_each(|lane| result.set(lane, true));
        result
    }
}

/// The bits of the first `lanes` lanes, 64 at most.
fn all_lanes(lanes: usize) -> u64 {
    u64::MAX >> (64 - lanes.clamp(1, 64))
}

/// Copies the lanes of a mask from one row to another.
fn blend(row: &mut [u64], source: &[u64], mask: &Mask) {
    let chunks = row.chunks_mut(64).zip(source.chunks(64));
    for ((to, from), &word) in chunks.zip(&mask.words) {
        if word.count_ones() as usize == to.len() {
            to.copy_from_slice(from);
            continue;
        }
        for (lane, (to, &from)) in to.iter_mut().zip(from).enumerate() {
            *to = if word >> lane & 1 != 0 { from } else { *to };
        }
    }
}

/// As [`blend`], of 32-bit components.
fn blend_row(row: &mut [u32; 64], source: &[u32; 64], mask: u64) {
    if mask == u64::MAX {
        *row = *source;
        return;
    }
    for (half, (to, from)) in row.chunks_mut(32).zip(source.chunks(32)).enumerate() {
        let bits = (mask >> (32 * half)) as u32;
        for (lane, (to, &from)) in to.iter_mut().zip(from).enumerate() {
            let keep = u32::from(bits & 1 << lane != 0).wrapping_sub(1);
            *to = *to & keep | from & !keep;
        }
    }
}

/// The marks of components that are marked in either of two values.
fn either(a: &[u64], b: &[u64]) -> Vec<u64> {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => Vec::new(),
        (false, true) => a.to_vec(),
        (true, false) => b.to_vec(),
        (false, false) => a.iter().zip(b).map(|(&x, &y)| x | y).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change<'a> = &'a dyn Fn(&mut Value, &Value);
    type Combination<'a> = &'a dyn Fn(&Value, &Value) -> Value;

    /// A value of two components, in both kinds of storage.
    fn both(lanes: usize) -> [Value; 2] {
        let mut wide = Value::zero(2, lanes);
        for (c, lane) in (0..2).flat_map(|c| (0..lanes).map(move |lane| (c, lane))) {
            wide.set(c, lane, extend((lane as u32).wrapping_mul(0x9e37_79b9) ^ c as u32, true));
        }
        wide.mark_undefined(1, 3);
        let mut narrow = wide.clone();
        narrow.make_narrow(true);
        assert_eq!(matches!(narrow.cells, Cells::Narrow { .. }), (16..=64).contains(&lanes));
        [wide, narrow]
    }

    #[test]
    fn both_kinds_of_storage_hold_the_same_values() {
        for lanes in [4, 16, 50, 64, 100] {
            let [wide, narrow] = both(lanes);
            assert_eq!(wide, narrow);
            let mut odd = Mask::none(lanes);
            (1..lanes).step_by(2).for_each(|lane| odd.set(lane, true));
            let changes: [Change; 5] = [
                &|v, other| v.copy_lanes(0, &odd, other, 1),
                &|v, other| v.copy_component(1, 2, other, 0),
                &|v, _| v.write_row(1, 0x0f0f, &[0x8000_0000; 64], 0x00ff, true),
                &|v, _| v.set(0, 1, extend(0xffff_fffe, true)),
                &|v, _| v.mark_undefined(0, 0),
            ];
            for change in changes {
                let [mut a, mut b] = both(lanes);
                change(&mut a, &narrow);
                change(&mut b, &wide);
                assert_eq!(a, b, "{lanes}");
            }
            let results: [Combination; 6] = [
                &|a, _| a.select(&[1, 0, 1]),
                &|a, _| a.slice(1, 1),
                &|a, b| Value::concat(&[a.clone(), b.clone()], 3, lanes),
                &|a, _| a.map(|x| x.wrapping_add(1)),
                &|a, b| a.zip(b, u64::wrapping_sub),
                &|a, b| a.zip3(b, a, |x, y, z| x ^ y & z),
            ];
            for result in results {
                assert_eq!(result(&wide, &narrow), result(&narrow, &wide), "{lanes}");
            }
            assert_eq!(wide.truth(&odd), narrow.truth(&odd));
            let (mut a, mut b) = ([7; 64], [7; 64]);
            assert_eq!(wide.read_row(1, &mut a), narrow.read_row(1, &mut b));
            assert_eq!(a[..lanes.min(64)], b[..lanes.min(64)]);
        }
    }

    #[test]
    fn rows_become_values() {
        let rows = [[1; 64], [u32::MAX; 64]];
        for lanes in [2, 20] {
            let value = Value::of_rows(rows.iter().zip([0, 0b10]), lanes, true);
            assert_eq!((value.get(0, 1), value.get(1, 0)), (1, u64::MAX));
            assert!(value.is_undefined(1, 1) && !value.is_undefined(1, 0) && !value.all_defined());
        }
    }
}
