//! The guard of the server: requests from other sites, for other hosts or without the token of the
//! printed address are refused.

use hyper::header::{HOST, ORIGIN};
use hyper::{HeaderMap, StatusCode};

/// Header with the token. A page of another origin cannot send it without asking first, and is
/// refused then.
pub(super) const TOKEN_HEADER: &str = "x-runner-token";

/// The guard.
#[derive(Clone, Debug)]
pub struct Guard {
    token: String,
    /// Values of the header `Host` that mean this server.
    hosts: [String; 2],
}

/// The reason of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    /// A name that leads here without being ours: DNS rebinding.
    #[error("this server has another name")]
    Host,
    /// A page of another site.
    #[error("requests from other pages are refused")]
    Origin,
    /// No token, or a wrong one.
    #[error("the token is missing or wrong: open the address that `runner serve` printed")]
    Token,
}

impl Refusal {
    /// Status of the response.
    pub(super) fn status(self) -> StatusCode {
        StatusCode::FORBIDDEN
    }
}

impl Guard {
    /// Returns the guard of a server on a port, with a new token.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(port: u16) -> Result<Guard, getrandom::Error> {
        let mut random = [0; 24];
        getrandom::fill(&mut random)?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Guard::with_token(port, token))
    }

    fn with_token(port: u16, token: String) -> Guard {
        Guard { token, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    /// Returns the address to open.
    pub fn address(&self) -> String {
        format!("http://{}/?token={}", self.hosts[0], self.token)
    }

    /// Checks that a request is for this server and from no other page.
    pub(super) fn check_place(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = one(headers, HOST.as_str()).ok_or(Refusal::Host)?;
        if !self.hosts.iter().any(|ours| ours == host) {
            return Err(Refusal::Host);
        }
        if !headers.contains_key(ORIGIN) {
            return Ok(());
        }
        let origin = one(headers, ORIGIN.as_str()).and_then(|text| text.strip_prefix("http://"));
        match origin.is_some_and(|host| self.hosts.iter().any(|ours| ours == host)) {
            true => Ok(()),
            false => Err(Refusal::Origin),
        }
    }

    /// Checks the token of a request. The comparison takes the same time for every wrong one.
    pub(super) fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let given = one(headers, TOKEN_HEADER).ok_or(Refusal::Token)?;
        // Equality of hashes does not depend on the first difference.
        match blake3::hash(given.as_bytes()) == blake3::hash(self.token.as_bytes()) {
            true => Ok(()),
            false => Err(Refusal::Token),
        }
    }
}

/// Returns the value of a header that occurs once.
fn one<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::{HeaderName, HeaderValue};

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn places() {
        let guard = Guard::with_token(81, "secret".to_owned());
        let check = |list: &[_]| guard.check_place(&headers(list));
        assert_eq!(check(&[("host", "127.0.0.1:81")]), Ok(()));
        assert_eq!(check(&[("host", "localhost:81"), ("origin", "http://localhost:81")]), Ok(()));
        for host in ["evil.example:81", "127.0.0.1", "127.0.0.1:82", "127.0.0.1:81.evil", ""] {
            assert_eq!(check(&[("host", host)]), Err(Refusal::Host), "{host}");
        }
        assert_eq!(check(&[]), Err(Refusal::Host));
        let twice = [("host", "127.0.0.1:81"), ("host", "127.0.0.1:81")];
        assert_eq!(check(&twice), Err(Refusal::Host));
        for origin in ["null", "http://evil.example", "https://127.0.0.1:81", "http://127.0.0.1"] {
            let list = [("host", "127.0.0.1:81"), ("origin", origin)];
            assert_eq!(check(&list), Err(Refusal::Origin), "{origin}");
        }
    }

    #[test]
    fn tokens() {
        let guard = Guard::with_token(81, "secret".to_owned());
        let check = |list: &[_]| guard.check_token(&headers(list));
        assert_eq!(check(&[("x-runner-token", "secret")]), Ok(()));
        for token in ["", "Secret", "secret ", "secre", "secrets"] {
            assert_eq!(check(&[("x-runner-token", token)]), Err(Refusal::Token), "{token}");
        }
        assert_eq!(check(&[]), Err(Refusal::Token));
    }

    #[test]
    fn tokens_are_new() {
        let [a, b] = [0; 2].map(|port| Guard::new(port).unwrap());
        assert!(a.token.len() == 48 && a.token != b.token);
        assert_eq!(a.address(), format!("http://127.0.0.1:0/?token={}", a.token));
    }
}
