//! Hostile requests and hostile shaders: neither has an effect outside.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;

use super::server::Server;
use crate::support::{GREEN, Sandbox};

#[test]
fn the_page_executes_no_test_on_a_driver() {
    let refused = [
        (&["--driver", "mesa"], "error: --driver: the form *Driver*"),
        (&["--gen", "gl"], "error: --gen gl: the page shows generations"),
    ];
    for (options, error) in refused {
        let words = [&["serve", "suite"], &options[..]].concat();
        sandbox().run(&words).expect(2, &[error]);
    }
}

/// Number of malformed requests and of edits; the environment can ask for more.
fn count(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("suite/green.shader_test", GREEN).file("secret.shader_test", "secret");
    sandbox
}

/// The files of a folder with their texts.
fn files(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![sandbox.root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).expect("a file");
                files.push((path.display().to_string(), bytes));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn requests_of_others_are_refused() {
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite"]);
    let (port, token) = (server.port, &*server.token);
    let ours = format!("127.0.0.1:{port}");
    let origin = format!("http://{ours}");
    let get = |path: &str, headers: &[(&str, &str)]| {
        server.request(&format!("GET {path}"), headers, "").status
    };
    // The page itself, and what it asks for.
    assert_eq!(get("/", &[("host", &ours)]), 200);
    assert_eq!(get("/page.js", &[("host", &ours)]), 200);
    let good = [("host", &*ours), ("x-runner-token", token), ("origin", &origin)];
    assert_eq!(get("/api/tests", &good), 200);
    // No token, a wrong one, or one in the address.
    assert_eq!(get("/api/tests", &[("host", &ours)]), 403);
    assert_eq!(get("/api/tests", &[("host", &ours), ("x-runner-token", "0")]), 403);
    assert_eq!(get(&format!("/api/tests?token={token}"), &[("host", &ours)]), 403);
    // Another site, and another name of this machine.
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"] {
        let headers = [("host", &*ours), ("x-runner-token", token), ("origin", origin)];
        assert_eq!(get("/api/tests", &headers), 403, "{origin}");
        assert_eq!(get("/", &headers), 403, "{origin}");
    }
    for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", "[::1]:80"] {
        assert_eq!(get("/api/tests", &[("host", host), ("x-runner-token", token)]), 403, "{host}");
    }
    // Browsers ask first whether another site may send the token: no.
    let headers = [("host", &*ours), ("origin", "http://evil.example")];
    let asked = server.request("OPTIONS /api/look", &headers, "");
    assert_eq!(asked.status, 403);
    assert!(!asked.head.to_lowercase().contains("access-control"), "{asked:?}");
    // Nothing else may be loaded by the page, nor load it.
    let page = server.request("GET /", &[("host", &ours)], "");
    let head = page.head.to_lowercase();
    for text in ["default-src 'none'", "frame-ancestors 'none'", "nosniff", "no-store"] {
        assert!(head.contains(text), "{text} in {head}");
    }
}

#[test]
fn names_lead_to_listed_files_only() {
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite"]);
    let test = server.post("test", &json!({ "test": "suite/green" }));
    assert_eq!(test.status, 200, "{test:?}");
    assert!(test.body.contains("gl_FragColor"), "{test:?}");
    let secret = sandbox.path("secret.shader_test").display().to_string();
    for name in ["../secret", "suite/../../secret", "secret", &secret, "", "suite/green\0"] {
        for path in ["test", "version", "look", "history"] {
            let form = json!({ "kind": "result" });
            let mut request = json!({ "test": name });
            if path == "look" {
                request = json!({ "test": name, "target": "ivb", "form": form });
            }
            let answer = server.post(path, &request);
            assert!(!answer.body.contains("secret\""), "{answer:?}");
            let is_empty = path == "history" && answer.body == "[]";
            assert!(answer.status == 404 || is_empty, "{path} {name}: {answer:?}");
        }
    }
    for path in ["/../secret.shader_test", "/page/../secret", "/%2e%2e/secret", "//etc/passwd"] {
        let host = format!("127.0.0.1:{}", server.port);
        let headers = [("host", &*host), ("x-runner-token", &*server.token)];
        assert_eq!(server.request(&format!("GET {path}"), &headers, "").status, 404, "{path}");
    }
    for run in ["..", "../suite", "latest", "/etc"] {
        assert_eq!(server.post("run", &json!({ "run": run })).status, 404, "{run}");
    }
}

/// The head of a look with a body of some bytes.
fn head(server: &Server, length: usize) -> String {
    format!(
        "POST /api/look HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nx-runner-token: {}\r\n\
         content-length: {length}\r\n\r\n",
        server.port, server.token
    )
}

/// A generator of numbers (xorshift): the same ones each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

#[test]
fn malformed_requests_do_no_harm() {
    let sandbox = sandbox();
    let mut server = Server::start(&sandbox, &["suite"]);
    let before = files(&sandbox);
    let form = json!({ "kind": "result" });
    let body = json!({ "test": "suite/green", "target": "ivb", "form": form }).to_string();
    let good = head(&server, body.len()) + &body;
    let mut random = Random(7);
    for _ in 0..count("RUNNER_PAGE_REQUESTS", 300) {
        let mut bytes = good.clone().into_bytes();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len());
            match random.below(6) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes.truncate(at),
                2 => bytes.insert(at, random.below(256) as u8),
                3 => bytes.splice(at..at, *b"\r\n\r\n").for_each(drop),
                4 => {
                    let part = bytes[at..].to_vec();
                    bytes.extend(part);
                }
                _ => drop(bytes.drain(at..(at + random.below(40)).min(bytes.len()))),
            }
            if bytes.is_empty() {
                bytes.push(0);
            }
        }
        server.send(&bytes, Duration::from_millis(5));
    }
    // Heads and bodies without end.
    let endless = format!("GET / HTTP/1.1\r\nhost: x\r\na: {}", "a".repeat(1 << 20));
    let answer = server.send(endless.as_bytes(), Duration::from_secs(5));
    assert!(String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 431"), "{answer:?}");
    let many: String = (0..500).map(|number| format!("a{number}: b\r\n")).collect();
    let answer =
        server.send(format!("GET / HTTP/1.1\r\n{many}\r\n").as_bytes(), Duration::from_secs(5));
    assert!(String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 431"), "{answer:?}");
    let large = json!({ "test": "suite/green", "text": "a".repeat(5 << 20) });
    assert!([413, 0].contains(&server.post("look", &large).status));
    assert!(server.is_alive());
    assert_eq!(server.look("suite/green", "ivb", GREEN)["verdict"]["status"], "pass");
    assert!(files(&sandbox) == before, "a file was changed");
}

#[test]
fn endless_shaders_cost_their_limit() {
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite", "--timeout", "1"]);
    let endless = GREEN.replace("gl_FragColor = c;", "while (c.y > 0.5) { gl_FragColor = c; }");
    let warm = server.look("suite/green", "ivb", GREEN);
    assert_eq!(warm["verdict"]["status"], "pass", "{warm}");
    let start = Instant::now();
    let ended = server.look("suite/green", "ivb", &endless);
    assert_eq!(ended["verdict"]["status"], "timeout", "{ended}");
    // The limit, the start of another process, and a busy machine.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    let next = server.look("suite/green", "ivb", GREEN);
    assert_eq!(next["verdict"]["status"], "pass", "{next}");
}

#[test]
fn looks_that_nobody_waits_for_end() {
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite", "--timeout", "60", "--no-reference"]);
    let endless = GREEN.replace("gl_FragColor = c;", "while (c.y > 0.5) { gl_FragColor = c; }");
    assert_eq!(server.look("suite/green", "ivb", GREEN)["verdict"]["status"], "pass");
    let form = json!({ "kind": "result" });
    let request = json!({ "test": "suite/green", "target": "ivb", "text": endless, "form": form });
    let request = request.to_string();
    let head = head(&server, request.len());
    for _ in 0..3 {
        let mut stream = server.connection();
        stream.write_all(format!("{head}{request}").as_bytes()).expect("a request");
        std::thread::sleep(Duration::from_millis(100));
    }
    let start = Instant::now();
    assert_eq!(server.look("suite/green", "ivb", GREEN)["verdict"]["status"], "pass");
    // The endless shader runs into its own limit of steps after a long while only.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn crashes_cost_their_own_look() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass")]);
    let mut server = Server::start(&sandbox, &["suite", "--mock"]);
    for (what, status) in [
        ("abort", "crash"),
        ("pass", "pass"),
        ("overflow", "crash"),
        ("panic", "crash"),
        ("exit", "crash"),
        ("hang", "timeout"),
        ("pass", "pass"),
    ] {
        let answer = server.look("suite/a", "ivb", &format!("mock {what}\n"));
        assert_eq!(answer["verdict"]["status"], status, "{what}: {answer}");
    }
    assert!(server.is_alive());
}

#[test]
fn many_clients_at_once() {
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite"]);
    std::thread::scope(|scope| {
        for client in 0..50 {
            let server = &server;
            scope.spawn(move || {
                let target = ["ivb", "skl", "vi", "reference"][client % 4];
                let look = server.look("suite/green", target, GREEN);
                assert_eq!(look["verdict"]["status"], "pass", "{target}: {look}");
            });
        }
    });
}

/// Memory after many edits is that after fewer ones.
#[test]
fn edits_leave_nothing_behind() {
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite"]);
    let edits = count("RUNNER_PAGE_EDITS", 240);
    let edit = |number: usize| {
        let text = GREEN.replace("c; }", &format!("c + vec4({number}.0) - vec4({number}.0); }}"));
        let look = server.look("suite/green", "skl", &text);
        assert_eq!(look["verdict"]["status"], "pass", "{look}");
    };
    let (first, second) = (edits / 3, edits);
    (0..first).for_each(edit);
    let before = server.memory();
    (first..second).for_each(edit);
    let after = server.memory();
    let text = format!("{} MiB after {first} edits, {} after {second}", before >> 20, after >> 20);
    println!("{text}");
    assert!(after < before + (48 << 20), "{text}");
}
