//! Registers and other state of a wave.

use amd_isa::{Register, Scalar};

use crate::arithmetic::float::INITIAL_MODE;
use crate::error::Reason;
use crate::pending::Pending;
use crate::program::Program;
use crate::quirks::Quirks;
use crate::register::LANES;

/// A wave: registers, local data share, and what memory still owes it.
#[derive(Clone, Debug)]
pub struct Wave {
    /// Scalar registers by their codes: VCC is 106 and 107, M0 124, EXEC 126 and 127.
    pub scalar: [u32; 128],
    /// Vector registers: a dword per lane.
    pub vector: Vec<[u32; LANES]>,
    /// Scalar condition code.
    pub scc: bool,
    /// MODE register.
    pub mode: u32,
    /// Local data share of the work group.
    pub local: Vec<u8>,
    /// Address of the program, from which it computes addresses of its constants.
    pub program_address: u64,
    /// Quirks instead of those of the chip.
    pub quirks: Option<Quirks>,
    /// Number of instructions executed so far.
    pub steps: u64,
    /// Offset of the next instruction in dwords.
    pub(crate) pc: usize,
    /// VCCZ, which can differ from VCC.
    pub(crate) vccz: bool,
    pub(crate) pending: Pending,
    pub(crate) history: History,
}

/// Numbers of the instructions executed last.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    entries: [usize; 8],
    /// Number of instructions ever added.
    added: usize,
}

impl History {
    /// Adds an instruction.
    pub(crate) fn add(&mut self, index: usize) {
        self.entries[self.added % 8] = index;
        self.added = self.added.wrapping_add(1);
    }

    /// The instructions, the youngest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        let last = self.added;
        (1..=last.min(8)).map(move |back| self.entries[(last - back) % 8])
    }
}

impl Default for Wave {
    fn default() -> Wave {
        Wave::new()
    }
}

impl Wave {
    /// A wave with all lanes and zero in all other registers.
    pub fn new() -> Wave {
        Wave::with_registers(256)
    }

    /// A wave as [`Wave::new`] with this many vector registers. Programs must not use others.
    pub fn with_registers(count: usize) -> Wave {
        let mut wave = Wave {
            scalar: [0; 128],
            vector: vec![[0; LANES]; count],
            scc: false,
            mode: INITIAL_MODE,
            local: Vec::new(),
            program_address: 0,
            quirks: None,
            steps: 0,
            pc: 0,
            vccz: true,
            pending: Pending::default(),
            history: History::default(),
        };
        wave.set_pair(Scalar::EXEC, u64::MAX);
        wave
    }

    /// The 64 bits of two scalar registers.
    pub fn pair(&self, first: Scalar) -> u64 {
        let at = usize::from(first.0 & 127);
        u64::from(self.scalar[at]) | u64::from(self.scalar[(at + 1) & 127]) << 32
    }

    /// Sets two scalar registers.
    pub fn set_pair(&mut self, first: Scalar, value: u64) {
        let at = usize::from(first.0 & 127);
        self.scalar[at] = value as u32;
        self.scalar[(at + 1) & 127] = (value >> 32) as u32;
    }

    /// Number of the next instruction; `None` if there is none at the place.
    pub fn next_instruction(&self, program: &Program) -> Option<usize> {
        program.at(self.pc)
    }

    /// EXEC.
    pub fn exec(&self) -> u64 {
        self.pair(Scalar::EXEC)
    }

    /// M0.
    pub fn m0(&self) -> u32 {
        self.scalar[usize::from(Scalar::M0.0)]
    }

    /// Writes a scalar register at once.
    pub(crate) fn write_scalar(&mut self, code: u8, value: u32) {
        self.scalar[usize::from(code & 127)] = value;
        if code & !1 == Scalar::VCC.0 {
            self.vccz = self.pair(Scalar::VCC) == 0;
        }
    }

    /// Puts a loaded value into its register.
    pub(crate) fn deliver(&mut self, register: Register, values: &[u32; LANES], lanes: u64) {
        match register {
            Register::Scalar(code) => self.write_scalar(code, values[0]),
            Register::Vector(number) => {
                let target = &mut self.vector[usize::from(number)];
                for (lane, value) in values.iter().enumerate() {
                    if lanes >> lane & 1 != 0 {
                        target[lane] = *value;
                    }
                }
            }
        }
    }

    /// Waits until the counters are not above the limits, and delivers what is complete.
    pub(crate) fn wait(&mut self, vector: u32, export: u32, lgkm: u32, quirks: &Quirks) {
        for event in self.pending.wait(vector, export, lgkm) {
            for (register, values) in &event.writes {
                self.deliver(*register, values, event.lanes);
            }
            if event.is_scalar_memory() && quirks.vccz_after_smrd {
                self.vccz = self.pair(Scalar::VCC) != 0;
            }
        }
    }

    /// Index of a register relative to M0.
    pub(crate) fn relative(&self, base: u8, limit: i64) -> Result<u8, Reason> {
        let index = i64::from(base) + i64::from(self.m0() as i32);
        if (0..limit).contains(&index) {
            Ok(index as u8)
        } else {
            Err(Reason::RegisterIndex(index))
        }
    }
}
