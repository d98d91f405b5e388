//! Macro tiles: tiles of 8 by 8 texels spread over the pipes and banks of memory.
//!
//! The rules are those of AMD's library of addresses, which Mesa has in `src/amd/addrlib`.

/// Bytes that stay in a pipe before the next one follows.
const PIECE: u64 = 256;

/// A bit of a pipe's or bank's number: the bits of column and row whose parity it is.
type Parity = (u64, u64);

/// Bits of the pipe's number by the number of a configuration, from columns and rows of tiles.
const PIPES: [(u32, &[Parity]); 9] = [
    (0, &[(1, 1)]),
    (4, &[(2, 1), (1, 2)]),
    (5, &[(3, 1), (2, 2)]),
    (6, &[(3, 1), (2, 4)]),
    (9, &[(6, 1), (1, 2), (2, 4)]),
    (10, &[(6, 1), (1, 2), (4, 4)]),
    (11, &[(3, 1), (4, 2), (2, 4)]),
    (12, &[(3, 1), (2, 2), (4, 4)]),
    (13, &[(3, 1), (2, 8), (4, 4)]),
];

/// Bits of the bank's number by the number of banks, from columns and rows of a bank's tiles.
const BANKS: [&[Parity]; 4] =
    [&[(1, 1)], &[(1, 2), (2, 1)], &[(1, 4), (2, 6), (4, 1)], &[(1, 8), (2, 12), (4, 2), (8, 1)]];

/// Facts of macro tiles in registers. Numbers are powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parameters {
    /// Number of the configuration of pipes.
    pub(super) pipe_config: u32,
    /// Tiles of a bank.
    pub(super) bank_width: u64,
    pub(super) bank_height: u64,
    /// Times that a macro tile is wider, and flatter, than its banks one below the other.
    pub(super) aspect: u64,
    pub(super) banks: u64,
    /// Most bytes of a tile in one place; samples that are more go to places of their own.
    pub(super) split: u64,
    /// Slices turn pipes, too.
    pub(super) turns_pipes: bool,
}

/// Bytes of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileBytes {
    /// Bytes of one slice of a tile with all samples.
    pub(super) plain: u64,
    /// Slices of a tile.
    pub(super) thickness: u64,
    /// Bytes of a row of memory, which a bank's tiles do not exceed.
    pub(super) row: u64,
}

/// Macro tiles of texels of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MacroTiles {
    pipes: &'static [Parity],
    parameters: Parameters,
    /// Parameters before they fitted the tiles.
    source: Parameters,
    sizes: TileBytes,
    /// Bytes of a tile in one place.
    tile_bytes: u64,
    /// Bytes of a tile that alignments count.
    counted_bytes: u64,
    /// Places of a tile.
    parts: u64,
}

/// A texel in a surface of macro tiles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) x: u64,
    pub(super) y: u64,
    /// Number of the tile's slices.
    pub(super) slice: u64,
    /// Byte in the tile of all samples.
    pub(super) byte: u64,
}

fn number(parities: &[Parity], column: u64, row: u64) -> u64 {
    let bit = |(columns, rows): Parity| {
        u64::from(((column & columns).count_ones() + (row & rows).count_ones()) & 1)
    };
    (0..).zip(parities).fold(0, |all, (i, parity)| all | bit(*parity) << i)
}

impl MacroTiles {
    /// Macro tiles for tiles of a size; `None` if the configuration of pipes or the number of banks
    /// is unknown.
    pub(super) fn new(parameters: Parameters, sizes: TileBytes) -> Option<MacroTiles> {
        let (bytes, row) = (sizes.plain * sizes.thickness, sizes.row);
        let mut own = parameters;
        let pipes = PIPES.iter().find(|(config, _)| *config == own.pipe_config)?.1;
        if !matches!(own.banks, 2 | 4 | 8 | 16) || own.aspect > own.banks {
            return None;
        }
        let tile_bytes = bytes.min(own.split).max(1);
        let least_height = |width: u64| (PIECE / (tile_bytes * width)).max(1);
        own.bank_height = own.bank_height.next_multiple_of(least_height(own.bank_width));
        while own.bank_width > 1 && tile_bytes * own.bank_width * own.bank_height > row {
            own.bank_width /= 2;
        }
        let least = least_height(own.bank_width);
        while own.bank_height > least && tile_bytes * own.bank_width * own.bank_height > row {
            own.bank_height = (own.bank_height / 2).max(least);
        }
        // Tiles of several slices are whole.
        let (counted_bytes, tile_bytes) = match sizes.thickness {
            1 => (tile_bytes, tile_bytes),
            _ => (tile_bytes, bytes),
        };
        let parts = (bytes / tile_bytes).max(1);
        let source = parameters;
        Some(MacroTiles { pipes, parameters: own, source, sizes, tile_bytes, counted_bytes, parts })
    }

    /// The same for tiles of another number of slices.
    pub(super) fn of_thickness(&self, thickness: u64) -> MacroTiles {
        let sizes = TileBytes { thickness, ..self.sizes };
        MacroTiles::new(self.source, sizes).unwrap_or(*self)
    }

    /// Width and height of a macro tile in tiles.
    fn size(&self) -> (u64, u64) {
        let Parameters { bank_width, bank_height, aspect, banks, .. } = self.parameters;
        ((bank_width * aspect) << self.pipes.len(), bank_height * banks / aspect)
    }

    /// Width and height of a macro tile in texels.
    pub(super) fn texels(&self) -> (u64, u64) {
        let (width, height) = self.size();
        (8 * width, 8 * height)
    }

    /// Bytes of a macro tile in a bank of a pipe.
    fn bank_bytes(&self) -> u64 {
        self.tile_bytes * self.parameters.bank_width * self.parameters.bank_height
    }

    /// Bytes of a macro tile, of which addresses of surfaces are multiples.
    pub(super) fn bytes(&self) -> u64 {
        self.bank_bytes() / self.tile_bytes * self.counted_bytes * self.interleave() / PIECE
    }

    /// Bytes after which pipes and banks repeat. Surfaces begin at their multiples; lower bits of
    /// an address turn pipes and banks.
    pub(super) fn interleave(&self) -> u64 {
        (PIECE << self.pipes.len()) * self.parameters.banks
    }

    /// Bytes of a tile that follow each other in memory.
    pub(super) fn piece(&self) -> u64 {
        self.tile_bytes.min(PIECE)
    }

    /// Address of a texel in a surface at an address, whose slices have this many tiles in rows of
    /// `pitch` tiles.
    pub(super) fn address(&self, base: u64, (pitch, slice): (u64, u64), place: Place) -> u64 {
        let Parameters { bank_width, bank_height, banks, .. } = self.parameters;
        let pipe_bits = self.pipes.len() as u32;
        let turn = base % self.interleave() / PIECE;
        let (width, height) = self.size();
        let (column, row) = (place.x / 8, place.y / 8);
        let (part, byte) = (place.byte / self.tile_bytes, place.byte % self.tile_bytes);
        let in_slice = row / height * (pitch / width) + column / width;
        let layer = part + self.parts * place.slice;
        let macro_tile = layer.wrapping_mul(slice / (width * height)).wrapping_add(in_slice);
        let tile = row % bank_height * bank_width + (column >> pipe_bits) % bank_width;
        let offset = macro_tile.wrapping_mul(self.bank_bytes()) + tile * self.tile_bytes + byte;

        // Slices and places of a tile turn the banks, and in some modes the pipes.
        let step = ((1 << pipe_bits) / 2_u64).saturating_sub(1).max(1).wrapping_mul(place.slice);
        let (pipe_step, bank_step) = match self.parameters.turns_pipes {
            true => (step, step >> pipe_bits),
            false => (0, (banks / 2 - 1).wrapping_mul(place.slice)),
        };
        let pipe_turn = turn.wrapping_add(pipe_step) & ((1 << pipe_bits) - 1);
        let pipe = number(self.pipes, column, row) ^ pipe_turn;
        let bank_columns = (column >> pipe_bits) / bank_width;
        let parities = BANKS[banks.trailing_zeros() as usize - 1];
        let turned = (turn >> pipe_bits).wrapping_add(bank_step);
        let bank = number(parities, bank_columns, row / bank_height) ^ turned;
        let bank = (bank ^ ((banks / 2 + 1) * part)) & (banks - 1);

        let in_pipe = (offset % PIECE) | (pipe * PIECE) | (bank * (PIECE << pipe_bits));
        (base - base % self.interleave())
            .wrapping_add(offset / PIECE * self.interleave())
            .wrapping_add(in_pipe)
    }
}
