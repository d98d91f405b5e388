//! A running `runner serve`, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Sandbox;

/// Time for an answer: the limit of looks and the start of a process, on a busy machine.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);

/// A server that ends with this value.
pub(super) struct Server {
    child: Child,
    pub(super) address: String,
    pub(super) port: u16,
    pub(super) token: String,
}

/// A response: status, head and body.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Server {
    /// Starts `runner serve` with these arguments in the sandbox.
    pub(super) fn start(sandbox: &Sandbox, arguments: &[&str]) -> Server {
        let mut command = sandbox.command(&[&["serve"], arguments].concat());
        // For measurements with another build.
        if let Some(binary) = std::env::var_os("RUNNER_PAGE_BINARY") {
            command = Command::new(binary);
            command.arg("serve").args(arguments).current_dir(sandbox.root());
        }
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the runner starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let address = line.split_once(": ").expect("an address").1.trim().to_owned();
        let (place, token) = address.split_once("/?token=").expect("a token");
        let port = place.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        Server { child, port, token: token.to_owned(), address }
    }

    /// Sends bytes and returns everything that comes back until the server closes the connection
    /// or is silent for a while.
    pub(super) fn send(&self, bytes: &[u8], silence: Duration) -> Vec<u8> {
        let mut stream = self.connection();
        // The server may close before it has read everything.
        let _ = stream.write_all(bytes);
        stream.set_read_timeout(Some(silence)).expect("a limit");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    pub(super) fn connection(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT)).expect("a limit");
        stream
    }

    /// Sends a request with these headers.
    pub(super) fn request(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = format!("{line} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("content-length: {}\r\n\r\n{body}", body.len());
        let answer = self.send(text.as_bytes(), RESPONSE_TIMEOUT);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Answer { status: status.unwrap_or(0), head: head.to_owned(), body: body.to_owned() }
    }

    /// Asks for something as the page does.
    pub(super) fn get(&self, path: &str) -> Answer {
        let host = format!("127.0.0.1:{}", self.port);
        let headers = [("host", &*host), ("x-runner-token", &self.token)];
        self.request(&format!("GET /api/{path}"), &headers, "")
    }

    /// Sends a request as the page does.
    pub(super) fn post(&self, path: &str, body: &Value) -> Answer {
        let host = format!("127.0.0.1:{}", self.port);
        let headers = [("host", &*host), ("x-runner-token", &self.token)];
        self.request(&format!("POST /api/{path}"), &headers, &body.to_string())
    }

    /// Looks at a text in the place of a test's.
    pub(super) fn look(&self, test: &str, target: &str, text: &str) -> Value {
        let form = json!({ "kind": "result" });
        self.form(test, target, text, &form)
    }

    /// Asks for a form of a text in the place of a test's.
    pub(super) fn form(&self, test: &str, target: &str, text: &str, form: &Value) -> Value {
        let request = json!({ "test": test, "target": target, "text": text, "form": form });
        let answer = self.post("look", &request);
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_str(&answer.body).expect("JSON")
    }

    /// Memory of the server and its workers in bytes.
    pub(super) fn memory(&self) -> u64 {
        let mut processes = vec![self.child.id()];
        processes.extend(children(self.child.id()));
        processes.iter().filter_map(|&process| external_program::resident(process)).sum()
    }

    /// True while the server runs.
    pub(super) fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("a state").is_none()
    }
}

/// The processes that a process has started.
fn children(parent: u32) -> Vec<u32> {
    let is_child = |process: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let after = stat.rsplit(')').next().unwrap_or_default().to_owned();
        after.split_whitespace().nth(1) == Some(&*parent.to_string())
    };
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(is_child).collect()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
