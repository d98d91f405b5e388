//! Operands and results in a storage buffer, by byte offsets that the generator computes.

use std::fmt::Write;

use crate::accept::Accept;
use crate::case::Case;
use crate::value::Component;

/// Operands of a case as `[argument][component]` → byte offset of each component of the result.
pub type PlacesFn = Box<dyn Fn(&[Vec<Component>]) -> Vec<usize>>;

/// Contents of the storage buffer at binding 0.
pub struct Memory {
    /// Bytes of the buffer.
    pub size: usize,
    /// Byte offsets of the components of the first operands; the other operands are uniforms.
    pub operands: Vec<Vec<usize>>,
    /// Place where the shader stores the result instead of checking it.
    pub store: Option<Store>,
}

/// A result in memory.
pub struct Store {
    /// Left side of the assignment of the result.
    pub target: String,
    /// Its byte offsets.
    pub places: PlacesFn,
}

/// Value of untouched bytes.
const FILLER: u8 = 0xa5;

/// Bytes of a component in memory.
fn bytes(x: Component) -> Vec<u8> {
    match x {
        Component::Double(x) => x.to_le_bytes().to_vec(),
        Component::Float(x) => x.to_le_bytes().to_vec(),
        Component::Half(x) => x.word().to_le_bytes().to_vec(),
        Component::Int64(x) => x.to_le_bytes().to_vec(),
        Component::Uint64(x) => x.to_le_bytes().to_vec(),
        Component::Int(x) => x.to_le_bytes().to_vec(),
        Component::Uint(x) => x.to_le_bytes().to_vec(),
        Component::Int16(x) => x.to_le_bytes().to_vec(),
        Component::Uint16(x) => x.to_le_bytes().to_vec(),
        Component::Bool(x) => u32::from(x).to_le_bytes().to_vec(),
    }
}

impl Memory {
    /// The buffer before a draw.
    fn before(&self, case: &Case) -> Vec<u8> {
        let mut image = vec![FILLER; self.size];
        for (places, values) in self.operands.iter().zip(&case.arguments) {
            put(&mut image, places, values);
        }
        image
    }

    /// The buffer after it: only the result has changed.
    fn after(&self, store: &Store, case: &Case) -> Vec<u8> {
        let mut image = self.before(case);
        let values: Vec<Component> = case.accept.iter().map(only).collect();
        put(&mut image, &(store.places)(&case.arguments), &values);
        image
    }

    /// Creates and fills the buffer.
    pub fn fill(&self, case: &Case) -> String {
        let mut text = format!("ssbo 0 {}\n", self.size);
        for (i, word) in words(&self.before(case)).into_iter().enumerate() {
            let _ = writeln!(text, "ssbo 0 subdata int {} {}", 4 * i, word as i32);
        }
        text
    }

    /// Probes every word of the buffer if the shader stores there.
    pub fn probes(&self, case: &Case) -> String {
        let mut text = String::new();
        let image = self.store.as_ref().map(|store| self.after(store, case)).unwrap_or_default();
        for (i, word) in words(&image).into_iter().enumerate() {
            let _ = writeln!(text, "probe ssbo uint 0 {} == {word:#010x}", 4 * i);
        }
        text
    }
}

fn only(accept: &Accept) -> Component {
    assert!(accept.low == accept.high, "memory is compared bit for bit: {accept:?}");
    accept.low
}

fn put(image: &mut [u8], places: &[usize], values: &[Component]) {
    assert_eq!(places.len(), values.len());
    for (&place, &value) in places.iter().zip(values) {
        let bytes = bytes(value);
        image[place..place + bytes.len()].copy_from_slice(&bytes);
    }
}

fn words(image: &[u8]) -> Vec<u32> {
    image.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}
