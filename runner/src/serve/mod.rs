//! The server of the page: HTTP on the loopback address, for this user alone.
//!
//! The server executes no shader and writes no file. Worker processes execute the tests, under the
//! limits of test cases.

mod catalog;
mod desk;
mod driver;
mod guard;
mod http;
mod page;
mod routes;
mod runs;

pub use catalog::Catalog;
pub use desk::WORKERS;
pub use guard::Guard;
pub use runs::Runs;

use std::net::TcpListener;
use std::sync::Arc;

use tokio::sync::{Mutex, Semaphore};

use desk::Desk;
use execute::Mode;
use external_program::Limits;
use routes::{DriverLooks, Site};
use supervise::Settings;

/// Time of a look at a driver as a multiple of that of others: the driver starts anew each time.
const DRIVER_FACTOR: u32 = 5;

/// All that a server offers.
pub struct Offer {
    /// The tests.
    pub catalog: Catalog,
    /// The runs.
    pub runs: Runs,
    /// Mode of their execution.
    pub mode: Mode,
    /// The worker processes.
    pub settings: Settings,
    /// Facts that the page needs at its start, as JSON.
    pub start: String,
}

/// Serves the page for ever. Must be called within a runtime.
///
/// # Errors
/// The listener cannot be used.
pub async fn serve(listener: TcpListener, guard: Guard, offer: Offer) -> std::io::Result<()> {
    let Offer { catalog, runs, mode, settings, start } = offer;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let driver = DriverLooks {
        program: settings.program.clone(),
        limits: Limits { time: DRIVER_FACTOR * settings.time_limit, memory: settings.memory },
        turn: Semaphore::new(1),
    };
    let site = Site {
        driver,
        guard,
        catalog,
        runs,
        desk: Desk::new(&settings),
        mode,
        reading: Mutex::default(),
        start,
    };
    http::accept(listener, Arc::new(site)).await;
    Ok(())
}
