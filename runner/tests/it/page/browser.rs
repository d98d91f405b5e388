//! Headless Chromium, driven through a pipe by its DevTools protocol.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Time for an answer of the browser, or for a condition of the page.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);

/// A browser with one page.
pub(super) struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    count: u64,
    /// Errors of scripts, and what the page wrote to its console.
    pub(super) complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

/// Returns the installed browser.
pub(super) fn installed() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let files = std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .collect::<Vec<_>>();
    files.into_iter().find(|file| file.exists())
}

impl Browser {
    /// Starts the browser with a window of this size at an address.
    pub(super) fn open(program: &PathBuf, address: &str, (width, height): (u32, u32)) -> Browser {
        let profile = tempfile::tempdir().expect("a folder");
        // The browser reads file 3 and writes file 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null"])
            .arg(program)
            .args(["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu"])
            .args(["--no-first-run", "--disable-extensions", "--hide-scrollbars"])
            .args(["--disable-background-networking", "--disable-component-update"])
            .args(["--force-device-scale-factor=1", "--font-render-hinting=none"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let input = child.stdin.take().expect("a pipe");
        let output = child.stdout.take().expect("a pipe");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut message = Vec::new();
            while output.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                if let Ok(value) = serde_json::from_slice(&message)
                    && sender.send(value).is_err()
                {
                    return;
                }
                message.clear();
            }
        });
        let mut browser = Browser {
            child,
            input,
            messages,
            session: None,
            count: 0,
            complaints: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false
        });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        browser.call("Page.navigate", json!({ "url": address }));
        browser
    }

    /// Calls a method of the protocol.
    pub(super) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.count += 1;
        let mut request = json!({ "id": self.count, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        let mut bytes = request.to_string().into_bytes();
        bytes.push(0);
        self.input.write_all(&bytes).expect("the browser listens");
        loop {
            let message =
                self.messages.recv_timeout(RESPONSE_TIMEOUT).expect("an answer of the browser");
            if message["id"] == self.count {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    /// Keeps errors of the page.
    fn note(&mut self, message: &Value) {
        let method = message["method"].as_str().unwrap_or_default();
        let level = message["params"]["entry"]["level"].as_str();
        let is_error = level == Some("error");
        // Canceled requests are meant.
        if method == "Runtime.exceptionThrown" || (method == "Log.entryAdded" && is_error) {
            self.complaints.push(message["params"].to_string());
        }
    }

    /// Returns the value of an expression in the page; promises are awaited.
    #[track_caller]
    pub(super) fn value(&mut self, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(super) fn wait(&mut self, expression: &str) {
        let start = Instant::now();
        while self.value(&format!("Boolean({expression})")) != true {
            if start.elapsed() > RESPONSE_TIMEOUT {
                let text = self.value("document.body.innerText.slice(0, 3000)");
                panic!("never: {expression}\n{text}\n{:?}", self.complaints);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses a key by its name in the protocol, such as `Enter`, or types a character.
    pub(super) fn press(&mut self, key: &str) {
        let codes = [
            ("Enter", 13),
            ("Escape", 27),
            ("Tab", 9),
            ("ArrowLeft", 37),
            ("ArrowUp", 38),
            ("ArrowRight", 39),
            ("ArrowDown", 40),
            ("Home", 36),
            ("End", 35),
            ("Backspace", 8),
        ];
        let code = codes.iter().find(|(name, _)| *name == key).map(|(_, code)| *code);
        let mut down = json!({ "type": "keyDown", "key": key });
        match code {
            Some(code) => down["windowsVirtualKeyCode"] = json!(code),
            None => down["text"] = json!(key),
        }
        if key == "Enter" {
            down["text"] = json!("\r");
        }
        self.call("Input.dispatchKeyEvent", down.clone());
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
    }

    /// Types a text.
    pub(super) fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Clicks into an element, at a share of its width and height.
    #[track_caller]
    pub(super) fn click(&mut self, selector: &str, (across, down): (f64, f64)) {
        let place = self.value(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{ block: 'nearest' }}); \
             const b = e.getBoundingClientRect(); \
             return [b.left + b.width * {across}, b.top + b.height * {down}]; }})()"
        ));
        let mouse = |kind: &str| {
            json!({
                "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1
            })
        };
        self.call("Input.dispatchMouseEvent", mouse("mousePressed"));
        self.call("Input.dispatchMouseEvent", mouse("mouseReleased"));
    }

    /// Has the system's color scheme be `light` or `dark`.
    pub(super) fn color_scheme(&mut self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// Returns a screenshot as PNG.
    pub(super) fn screenshot(&mut self) -> Vec<u8> {
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        STANDARD.decode(shot["data"].as_str().unwrap_or_default()).expect("base64")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
