//! Connections and their limits.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::routes::{Site, respond};

/// Maximum number of open connections; a browser has six for all its tabs.
const CONNECTIONS: usize = 256;
/// Maximum size of a request's head in bytes.
const HEAD_BYTES: usize = 32 << 10;
/// Maximum number of headers of a request.
const HEADERS: usize = 64;
/// Time for the head of a request to arrive.
const HEAD_TIME: Duration = Duration::from_secs(20);

/// Accepts connections for ever. A connection beyond the limit is closed.
pub(super) async fn accept(listener: TcpListener, site: Arc<Site>) {
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                if let Ok(permit) = free.clone().try_acquire_owned() {
                    tokio::spawn(connection(stream, peer, site.clone(), permit));
                }
            }
            // No file is left, for example: wait until another connection ends.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    site: Arc<Site>,
    _permit: OwnedSemaphorePermit,
) {
    // The listener has a loopback address alone, so that others cannot come here.
    if !peer.ip().is_loopback() {
        return;
    }
    // Without it small responses wait for acknowledgments.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let site = site.clone();
        async move { Ok::<Response<Full<Bytes>>, Infallible>(respond(&site, request).await) }
    });
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS);
    // A malformed request has got its response.
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}
