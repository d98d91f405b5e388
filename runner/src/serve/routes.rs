//! Requests and their responses.

use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName};
use hyper::{Method, Request, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;

use super::catalog::{self, Catalog};
use super::desk::Desk;
use super::driver::{self, DriverForm};
use super::guard::Guard;
use super::page;
use super::runs::Runs;
use execute::Mode;
use external_program::Limits;
use look::LookRequest;
use supervise::{Finished, Program};
use tokio::sync::Semaphore;
use vocabulary::Target;

/// Maximum size of a request's body in bytes.
const BODY_BYTES: usize = 4 << 20;
/// Time for the body of a request to arrive.
const BODY_TIME: Duration = Duration::from_secs(20);

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// Headers of every response: nothing is loaded from elsewhere, embedded elsewhere, or kept.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("x-content-type-options"), "nosniff"),
    (HeaderName::from_static("referrer-policy"), "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Everything that requests need.
pub(super) struct Site {
    pub(super) guard: Guard,
    pub(super) catalog: Catalog,
    pub(super) runs: Runs,
    pub(super) desk: Desk,
    pub(super) driver: DriverLooks,
    pub(super) mode: Mode,
    /// Taken while runs are read.
    pub(super) reading: tokio::sync::Mutex<()>,
    /// Facts that the page needs at its start, as JSON.
    pub(super) start: String,
}

/// Looks at tests on drivers.
pub(super) struct DriverLooks {
    pub(super) program: Program,
    pub(super) limits: Limits,
    /// Permission for the one that runs.
    pub(super) turn: Semaphore,
}

/// A response that is an error.
struct Failure(StatusCode, String);

type Answer = Result<(&'static str, Bytes), Failure>;

/// Responds to a request.
pub(super) async fn respond(site: &Site, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (status, kind, body) = match answer(site, request).await {
        Ok((kind, body)) => (StatusCode::OK, kind, body),
        Err(Failure(status, text)) => (status, JSON, json!({ "error": text }).to_string().into()),
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in HEADERS.into_iter().chain([(CONTENT_TYPE, kind)]) {
        headers.insert(name, hyper::header::HeaderValue::from_static(value));
    }
    response
}

async fn answer(site: &Site, request: Request<Incoming>) -> Answer {
    let refused = |refusal: super::guard::Refusal| Failure(refusal.status(), refusal.to_string());
    site.guard.check_place(request.headers()).map_err(refused)?;
    let path = request.uri().path().to_owned();
    if let Some(file) = page::file(&path) {
        only(&request, &Method::GET)?;
        return Ok((file.kind, Bytes::from_static(file.text.as_bytes())));
    }
    site.guard.check_token(request.headers()).map_err(refused)?;
    match &*path {
        "/api/start" => {
            only(&request, &Method::GET)?;
            Ok((JSON, site.start.clone().into()))
        }
        "/api/tests" => {
            only(&request, &Method::GET)?;
            Ok((TEXT, site.catalog.names().into()))
        }
        "/api/test" => test(site, request).await,
        "/api/version" => version(site, request).await,
        "/api/look" => look(site, request).await,
        "/api/driver" => driver(site, request).await,
        "/api/runs" => {
            only(&request, &Method::GET)?;
            Ok((JSON, json!(site.runs.list()).to_string().into()))
        }
        "/api/run" => {
            let OfRun { run } = body(request).await?;
            read(site, move |runs| Ok(json!(runs.table(&run)?).to_string())).await
        }
        "/api/diff" => {
            let OfRuns { old, new } = body(request).await?;
            read(site, move |runs| runs.diff(&old, &new)).await
        }
        "/api/history" => {
            let Named { test } = body(request).await?;
            read(site, move |runs| Ok(json!(runs.history(&test)?).to_string())).await
        }
        _ => Err(Failure(StatusCode::NOT_FOUND, "there is nothing here".to_owned())),
    }
}

fn only(request: &Request<Incoming>, method: &Method) -> Result<(), Failure> {
    match request.method() == method {
        true => Ok(()),
        false => Err(Failure(StatusCode::METHOD_NOT_ALLOWED, format!("only {method}"))),
    }
}

/// Reads the JSON body of a request.
async fn body<T: for<'d> Deserialize<'d>>(request: Request<Incoming>) -> Result<T, Failure> {
    only(&request, &Method::POST)?;
    let whole = Limited::new(request.into_body(), BODY_BYTES).collect();
    let bytes = match tokio::time::timeout(BODY_TIME, whole).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) => {
            return Err(Failure(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()));
        }
        Err(_) => {
            let text = "the body did not arrive".to_owned();
            return Err(Failure(StatusCode::REQUEST_TIMEOUT, text));
        }
    };
    serde_json::from_slice(&bytes)
        .map_err(|error| Failure(StatusCode::BAD_REQUEST, error.to_string()))
}

/// A test by its name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    test: String,
}

/// A run by its name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfRun {
    run: String,
}

/// Two runs by their names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfRuns {
    old: String,
    new: String,
}

/// Reads runs on another thread: large ones take a while.
async fn read(
    site: &Site,
    read: impl FnOnce(&Runs) -> anyhow::Result<String> + Send + 'static,
) -> Answer {
    let runs = site.runs.clone();
    // One after the other: each may take memory.
    let _turn = site.reading.lock().await;
    let text = tokio::task::spawn_blocking(move || read(&runs)).await;
    let failed = |text: String| Failure(StatusCode::NOT_FOUND, text);
    match text {
        Ok(Ok(text)) => Ok((JSON, text.into())),
        Ok(Err(error)) => Err(failed(format!("{error:#}"))),
        Err(error) => Err(failed(error.to_string())),
    }
}

fn unknown(name: &str) -> Failure {
    Failure(StatusCode::NOT_FOUND, format!("no test is called `{name}`"))
}

async fn test(site: &Site, request: Request<Incoming>) -> Answer {
    let Named { test: name } = body(request).await?;
    let test = site.catalog.find(&name).ok_or_else(|| unknown(&name))?;
    let text = catalog::read(test, site.mode)
        .map_err(|error| Failure(StatusCode::NOT_FOUND, format!("{name}: {error}")))?;
    Ok((JSON, json!(text).to_string().into()))
}

async fn version(site: &Site, request: Request<Incoming>) -> Answer {
    let Named { test: name } = body(request).await?;
    let test = site.catalog.find(&name).ok_or_else(|| unknown(&name))?;
    Ok((JSON, json!({ "version": catalog::version(test) }).to_string().into()))
}

/// A look at a test on a target.
#[derive(Deserialize)]
struct Look {
    test: String,
    target: Target,
    #[serde(flatten)]
    request: LookRequest,
}

async fn look(site: &Site, request: Request<Incoming>) -> Answer {
    let Look { test: name, target, request } = body(request).await?;
    let test = site.catalog.find(&name).ok_or_else(|| unknown(&name))?;
    let finished = site
        .desk
        .look(&test.on(target), request)
        .await
        .map_err(|busy| Failure(StatusCode::SERVICE_UNAVAILABLE, busy.to_string()))?;
    Ok((JSON, look_text(finished).into()))
}

/// A look at a test on the driver of a generation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DriverLook {
    test: String,
    target: Target,
    #[serde(default)]
    text: Option<String>,
    form: String,
}

async fn driver(site: &Site, request: Request<Incoming>) -> Answer {
    let DriverLook { test: name, target, text, form } = body(request).await?;
    let test = site.catalog.find(&name).ok_or_else(|| unknown(&name))?;
    let form = DriverForm { path: test.path.clone(), text, generation: target.name(), form };
    let DriverLooks { program, limits, turn } = &site.driver;
    let _turn = turn.acquire().await;
    let (program, limits) = (program.clone(), *limits);
    let shown = tokio::task::spawn_blocking(move || driver::show(&form, &program, limits)).await;
    let answer = match shown {
        Ok(Ok(shown)) => json!(shown),
        Ok(Err(error)) => json!({ "error": format!("{error:#}") }),
        Err(error) => json!({ "error": error.to_string() }),
    };
    Ok((JSON, answer.to_string().into()))
}

/// Returns the answer of the worker; without one, the verdict of the execution that did not end.
fn look_text(finished: Finished) -> String {
    finished.look.unwrap_or_else(|| {
        let verdict = finished.verdict;
        let (phase, reason) = verdict.cause.unzip();
        json!({ "verdict": { "status": verdict.status, "phase": phase, "reason": reason } })
            .to_string()
    })
}
