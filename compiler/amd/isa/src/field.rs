//! Names of the fields of encodings.

/// Declares the fields' names.
macro_rules! fields {
    ($($field:ident)*) => {
        /// A field of an instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the variants are the names of the manuals")]
        pub enum Field {
            $($field,)*
        }

        impl Field {
            /// Number of fields.
            pub(crate) const COUNT: usize = [$(Field::$field),*].len();
        }
    };
}

fields! {
    Op Sdst Ssrc0 Ssrc1 Simm16 Sbase Imm Offset Soffset Glc Vdst Src0 Src1 Src2 Vsrc1 Clamp Abs Neg
    Omod High Attr Chan Vsrc Gds Offset0 Offset1 Data0 Data1 Addr Lds Addr64 Idxen Offen Tfe Slc
    Srsrc Vdata Vaddr Nfmt Dfmt Lwe R128 Da Unorm Dmask Ssamp D16 Vm Done Compr Target En
    ExportSource0 ExportSource1 ExportSource2 ExportSource3
    LaneSource DppControl BoundControl BankMask RowMask
    DestinationSelect DestinationUnused Select0 Sext0 Neg0 Abs0 Select1 Sext1 Neg1 Abs1
}
