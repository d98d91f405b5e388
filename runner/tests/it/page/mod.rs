//! `runner serve`: the server under attack, and the page in a real browser.

mod browser;
mod driven;
mod hostile;
mod server;
mod told;
