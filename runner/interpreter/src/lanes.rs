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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    lanes: usize,
    cells: SmallVec<[u64; 16]>,
    /// Marks of components that came from an undefined operation; empty when there is none.
    undefined: Vec<bool>,
}

impl Value {
    /// Creates an all-zero value of `components` components.
    pub fn zero(components: usize, lanes: usize) -> Value {
        Value { lanes, cells: smallvec![0; components * lanes], undefined: Vec::new() }
    }

    /// Creates a value with the same component in every lane.
    pub fn uniform(bits: u64, lanes: usize) -> Value {
        Value { lanes, cells: smallvec![bits; lanes], undefined: Vec::new() }
    }

    /// Creates a value of undefined components.
    pub fn undefined(components: usize, lanes: usize) -> Value {
        let mut value = Value::zero(components, lanes);
        value.undefined = vec![true; components * lanes];
        value
    }

    /// Returns the number of lanes.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Returns the number of components.
    pub fn components(&self) -> usize {
        self.cells.len() / self.lanes.max(1)
    }

    /// Returns one component of a lane.
    pub fn get(&self, component: usize, lane: usize) -> u64 {
        self.cells.get(component * self.lanes + lane).copied().unwrap_or(0)
    }

    /// Overwrites one component of a lane with a defined value.
    pub fn set(&mut self, component: usize, lane: usize, bits: u64) {
        let index = component * self.lanes + lane;
        if let Some(cell) = self.cells.get_mut(index) {
            *cell = bits;
        }
        if let Some(flag) = self.undefined.get_mut(index) {
            *flag = false;
        }
    }

    /// True if a component of a lane came from an undefined operation.
    pub fn is_undefined(&self, component: usize, lane: usize) -> bool {
        self.undefined.get(component * self.lanes + lane).copied().unwrap_or(false)
    }

    /// Returns those of four components (bit n: component n) that are undefined in some of these
    /// lanes.
    pub fn undefined_components(&self, lanes: &Mask) -> u8 {
        let undefined = |c: usize| lanes.iter().any(|lane| self.is_undefined(c, lane));
        (0..4).filter(|&c| undefined(c)).fold(0, |mask, c| mask | 1 << c)
    }

    /// Marks a component of a lane as undefined.
    pub fn mark_undefined(&mut self, component: usize, lane: usize) {
        if self.undefined.is_empty() {
            self.undefined = vec![false; self.cells.len()];
        }
        if let Some(flag) = self.undefined.get_mut(component * self.lanes + lane) {
            *flag = true;
        }
    }

    /// True if every component is defined.
    pub fn all_defined(&self) -> bool {
        self.undefined.is_empty()
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
        let source = from.row(from_component);
        if !self.undefined.is_empty() || !from.undefined.is_empty() || source.len() != lanes {
            for lane in mask.iter() {
                self.copy_component(component, lane, from, from_component);
            }
            return;
        }
        let Some(row) = self.cells.get_mut(start..start + lanes) else { return };
        for (i, &word) in mask.words.iter().enumerate() {
            let end = lanes.min(i * 64 + 64);
            let (Some(to), Some(from)) = (row.get_mut(i * 64..end), source.get(i * 64..end)) else {
                return;
            };
            if word.count_ones() as usize == to.len() {
                to.copy_from_slice(from);
                continue;
            }
            for (lane, (to, &from)) in to.iter_mut().zip(from).enumerate() {
                *to = if word >> lane & 1 != 0 { from } else { *to };
            }
        }
    }

    /// Copies a component of all lanes, with their marks.
    fn copy_row(&mut self, component: usize, from: &Value, from_component: usize) {
        let start = component * self.lanes;
        let source = from.row(from_component);
        if self.undefined.is_empty()
            && from.undefined.is_empty()
            && let Some(row) = self.cells.get_mut(start..start + self.lanes)
            && row.len() == source.len()
        {
            return row.copy_from_slice(source);
        }
        for lane in 0..self.lanes {
            self.copy_component(component, lane, from, from_component);
        }
    }

    /// A component in all lanes; empty if there is no such component.
    fn row(&self, component: usize) -> &[u64] {
        self.cells.get(component * self.lanes..(component + 1) * self.lanes).unwrap_or(&[])
    }

    /// Copies the lower halves of a component, 64 lanes at most; returns the undefined lanes. A
    /// component that does not exist is zero.
    pub(crate) fn read_row(&self, component: usize, to: &mut [u32; 64]) -> u64 {
        let row = self.row(component);
        if row.is_empty() {
            *to = [0; 64];
        }
        for (to, &cell) in to.iter_mut().zip(row) {
            *to = cell as u32;
        }
        let first = component * self.lanes;
        let marks = self.undefined.get(first..).unwrap_or(&[]).iter().take(self.lanes.min(64));
        marks.enumerate().fold(0, |mask, (lane, &mark)| mask | u64::from(mark) << lane)
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
        let extended = |x: u32| if signed { x as i32 as i64 as u64 } else { u64::from(x) };
        let start = component * self.lanes;
        let all = u64::MAX >> (64 - lanes.max(1));
        let undefined = undefined & mask & all;
        let Some(row) = self.cells.get_mut(start..start + lanes) else { return };
        if mask & all == all {
            row.iter_mut().zip(from).for_each(|(to, &x)| *to = extended(x));
        } else {
            for (lane, (to, &x)) in row.iter_mut().zip(from).enumerate() {
                *to = if mask >> lane & 1 != 0 { extended(x) } else { *to };
            }
        }
        if undefined == 0 && self.undefined.is_empty() {
            return;
        }
        self.undefined.resize(self.cells.len(), false);
        let marks = self.undefined.iter_mut().skip(start).take(lanes).enumerate();
        for (lane, mark) in marks.filter(|(lane, _)| mask >> lane & 1 != 0) {
            *mark = undefined >> lane & 1 != 0;
        }
    }

    /// Returns the components `first .. first + count` in every lane.
    pub fn slice(&self, first: usize, count: usize) -> Value {
        let (start, end) = (first * self.lanes, (first + count) * self.lanes);
        let cut = |v: &[bool]| v.get(start..end).map(<[bool]>::to_vec).unwrap_or_default();
        Value {
            lanes: self.lanes,
            cells: self
                .cells
                .get(start..end)
                .map(SmallVec::from_slice)
                .unwrap_or_else(|| smallvec![0; end - start]),
            undefined: cut(&self.undefined),
        }
    }

    /// Returns the chosen components in order.
    pub fn select(&self, components: &[u8]) -> Value {
        let mut result = Value::zero(components.len(), self.lanes);
        for (to, &from) in components.iter().enumerate() {
            result.copy_row(to, self, from as usize);
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

    /// Applies a function to every component of every lane.
    pub fn map(&self, f: impl Fn(u64) -> u64) -> Value {
        let mut cells = self.cells.clone();
        for x in &mut cells {
            *x = f(*x);
        }
        Value { lanes: self.lanes, cells, undefined: self.undefined.clone() }
    }

    /// Applies a function to the components of two values of the same size.
    pub fn zip(&self, other: &Value, f: impl Fn(u64, u64) -> u64) -> Value {
        let mut cells = self.cells.clone();
        cells.truncate(other.cells.len());
        for (x, &y) in cells.iter_mut().zip(&other.cells) {
            *x = f(*x, y);
        }
        let undefined = either(&self.undefined, &other.undefined);
        Value { lanes: self.lanes, cells, undefined }
    }

    /// Applies a function to the components of three values of the same size.
    pub fn zip3(&self, b: &Value, c: &Value, f: impl Fn(u64, u64, u64) -> u64) -> Value {
        let mut cells = self.cells.clone();
        cells.truncate(b.cells.len().min(c.cells.len()));
        for ((x, &y), &z) in cells.iter_mut().zip(&b.cells).zip(&c.cells) {
            *x = f(*x, y, z);
        }
        let undefined = either(&either(&self.undefined, &b.undefined), &c.undefined);
        Value { lanes: self.lanes, cells, undefined }
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

fn either(a: &[bool], b: &[bool]) -> Vec<bool> {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => Vec::new(),
        (false, true) => a.to_vec(),
        (true, false) => b.to_vec(),
        (false, false) => a.iter().zip(b).map(|(&x, &y)| x || y).collect(),
    }
}
