//! stub
use crate::devinfo::DevInfo;
use crate::inst::Sfid;
pub struct Lengths {
    pub mlen: u8,
    pub rlen: u8,
}
impl Lengths {
    pub fn of(_d: &DevInfo, desc: u32) -> Lengths {
        Lengths { mlen: (desc >> 25 & 15) as u8, rlen: (desc >> 20 & 31) as u8 }
    }
}
pub fn ex_mlen(e: u32) -> u8 {
    (e >> 6 & 15) as u8
}
pub fn describe(_d: &DevInfo, _s: Sfid, _b: u32) -> String {
    String::new()
}
