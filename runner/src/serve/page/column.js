// A column: what one target makes of the test.

import { ask } from "./api.js";
import { Rows } from "./rows.js";
import { optionWords, state } from "./state.js";
import { changes } from "./changes.js";

export const TABS = ["verdict", "code", "ir", "trace", "numbers", "buffers", "driver"];
const TITLES = { verdict: "Verdict", code: "Code", ir: "IR", trace: "Trace", numbers: "Numbers", buffers: "Buffers", driver: "Driver" };
const DRIVER_FORMS = ["batch", "state", "eu", "payload", "trace"];
const AMD_DRIVER_FORMS = ["batch", "state", "gcn"];

/** True for generations with AMD's instruction set. */
export function isAmd(target) {
  return target === "si" || target === "vi";
}

function driverForms(target) {
  return isAmd(target) ? AMD_DRIVER_FORMS : DRIVER_FORMS;
}

/** The driver's form that a target shows for the chosen one: its own assembly, or else batches. */
export function driverForm(target, chosen) {
  const forms = driverForms(target);
  if (forms.includes(chosen)) return chosen;
  return ["eu", "gcn"].includes(chosen) ? forms.find((form) => ["eu", "gcn"].includes(form)) : "batch";
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function fillRow(row, item) {
  row.textContent = item.text;
  if (item.note) row.classList.add("note");
  if (item.change) row.classList.add(item.change);
}

/** The lanes that the first rows of threads and waves name. */
function lanes(items) {
  const named = items.map(({ text, note }) => note && /(\S+), ((?:thread|wave) \d+, lane \d+) shades/.exec(text)).filter(Boolean);
  return named.map(([, width, lane]) => `${width} ${lane}`).join("; ") || "no lane shades it";
}

export class Column {
  /** `page` has: lineChosen(line, column), tabChosen(), looked(column), request(form). */
  constructor(target, index, page) {
    Object.assign(this, { target, index, page, look: null, error: "", running: null, lined: null, asked: false, forms: {}, pending: null, lineValues: null });
    this.tablist = element("div", { role: "tablist" });
    this.tablist.setAttribute("role", "tablist");
    this.tablist.setAttribute("aria-label", `Forms on ${target}`);
    this.status = element("span");
    this.time = element("span", { className: "time" });
    this.panel = element("div");
    this.panel.setAttribute("role", "tabpanel");
    this.host = element("section", { className: "column" },
      element("h2", {}, element("span", { textContent: target }), this.status, this.time), this.tablist, this.panel);
    this.host.setAttribute("aria-label", target);
    this.host.dataset.target = target;
    for (const tab of TABS) {
      const button = element("button", { textContent: TITLES[tab] });
      button.setAttribute("role", "tab");
      button.dataset.tab = tab;
      button.addEventListener("click", () => this.choose(tab));
      this.tablist.append(button);
    }
    this.tablist.addEventListener("keydown", (event) => this.tabKey(event));
    this.rows = null;
    this.drawTabs();
  }

  get tab() {
    return state.tabs[this.target] ?? state.tab;
  }

  choose(tab) {
    state.tabs[this.target] = tab;
    this.page.tabChosen(this);
    this.drawTabs();
    this.draw();
  }

  tabKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      const next = TABS[(TABS.indexOf(this.tab) + step + TABS.length) % TABS.length];
      this.choose(next);
      this.focusTab();
      event.preventDefault();
    } else if (event.key === "ArrowDown" && this.rows) {
      this.rows.host.focus();
      event.preventDefault();
    }
  }

  focusTab() {
    this.tablist.querySelector("[aria-selected=true]").focus();
  }

  drawTabs() {
    for (const button of this.tablist.children) {
      const isChosen = button.dataset.tab === this.tab;
      button.setAttribute("aria-selected", String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
    }
  }

  /** Executes the test; an earlier execution is canceled. */
  async refresh() {
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    this.host.classList.add("stale");
    this.forms = {};
    this.lineValues = null;
    const start = performance.now();
    try {
      this.look = await this.ask({ kind: "result" }, running.signal);
      this.error = this.look.error ?? "";
      [this.lined, this.asked] = [null, false];
    } catch (error) {
      if (error.name === "AbortError") return;
      [this.look, this.error] = [null, error.message];
    }
    if (this.running !== running) return;
    this.running = null;
    this.time.textContent = `${Math.round(performance.now() - start)} ms`;
    this.host.classList.remove("stale");
    this.drawStatus();
    await this.page.looked(this);
    this.drawAgain();
  }

  /** Shows that the test cannot be executed. */
  fail(message) {
    this.error = message;
    this.drawStatus();
    this.draw();
  }

  ask(form, signal) {
    const request = { test: state.test, target: this.target, options: optionWords(), form };
    if (state.text !== null) request.text = state.text;
    return ask("look", request, signal);
  }

  drawStatus() {
    const status = this.error ? "error" : this.look.verdict.status;
    this.status.textContent = status;
    this.status.className = this.error ? "fail" : status;
  }

  /** The executed kernels, with source lines once they are known. */
  kernels() {
    return this.lined ?? this.look?.kernels ?? [];
  }

  /** Asks for the source lines of the code, which are those of the executed code if it is the same. */
  needLines() {
    if (this.asked) return;
    this.asked = true;
    const { look } = this;
    this.ask({ kind: "code" }).then(({ kernels }) => {
      if (look !== this.look || !kernels) return;
      const texts = (kernel) => kernel.rows.map((row) => row.text).join("\n");
      const linedKernel = (kernel) => {
        const other = kernels.find((k) => k.stage === kernel.stage && k.width === kernel.width);
        return other && texts(other) === texts(kernel) ? other : kernel;
      };
      this.lined = look.kernels.map(linedKernel);
      this.drawAgain();
    }, () => {
      // Code of other compilers has no lines.
    });
  }

  kernel() {
    const all = this.kernels();
    const last = all.at(-1);
    const ofStage = all.filter((kernel) => kernel.stage === (state.stage || last.stage));
    return ofStage.find((kernel) => kernel.width === state.width) ?? ofStage[0] ?? last;
  }

  stage() {
    return this.kernel()?.stage ?? (state.stage || "fragment");
  }

  draw() {
    if (!this.look && !this.error) return;
    if (this.error) return this.plain(element("pre", { className: "fail", textContent: this.error }));
    if (!this.look.verdict) return this.plain(element("pre", { textContent: "" }));
    ({ verdict: () => this.drawVerdict(), code: () => this.drawCode(), ir: () => this.drawIr(),
      trace: () => this.drawTrace(), numbers: () => this.drawNumbers(), buffers: () => this.drawBuffers(),
      driver: () => this.drawDriver() })[this.tab]();
  }

  plain(...content) {
    this.rows = null;
    const host = element("div", { className: "plain", tabIndex: 0 }, ...content);
    this.panel.replaceChildren(host);
  }

  drawVerdict() {
    const { verdict, probes } = this.look;
    const head = element("pre", {}, element("strong", { className: verdict.status, textContent: verdict.status }));
    if (verdict.phase) head.append(` ${verdict.phase}`);
    if (verdict.reason) head.append(`\n${verdict.reason}`);
    const parts = [head];
    if (verdict.line) {
      const place = element("button", { textContent: `line ${verdict.line}` });
      place.addEventListener("click", () => this.page.lineChosen(verdict.line, null));
      head.append("\n", place);
    }
    if (probes?.length) {
      const rows = probes.slice(0, 200).map((probe) => element("tr", { className: probe.layer ? "fail" : "" },
        element("td", { textContent: probe.line }), element("td", { textContent: probe.what }),
        element("td", { textContent: probe.expected }), element("td", { textContent: probe.simulator ?? "" }), element("td", { textContent: probe.reference ?? "" })));
      const names = ["line", "probe", "expected", "simulator", "reference"].map((textContent) => element("th", { textContent }));
      parts.push(element("table", {}, element("tr", {}, ...names), ...rows));
    }
    this.plain(...parts);
  }

  drawNumbers() {
    const columns = ["stage", "width", "instructions", "executed", "cycles", "loops", "sends", "spills", "fills", "registers", "scalar_registers", "waits"];
    const { stages } = this.look;
    const used = columns.filter((name) => stages.some((stage) => stage[name] !== undefined));
    const head = element("tr", {}, element("th"), ...stages.map((s) => element("th", { textContent: `${s.stage} ${s.width}` })));
    // No code takes 0 cycles: there is no model of them.
    const shown = (stage, name) => (name === "cycles" && !stage.cycles ? "–" : stage[name] ?? "");
    const rows = used.slice(2).map((name) => element("tr", {}, element("th", { textContent: name.replace("_", " ") }),
      ...stages.map((stage) => element("td", { textContent: shown(stage, name) }))));
    const hashes = element("tr", {}, element("th", { textContent: "hash" }), ...stages.map((s) => element("td", { textContent: s.sha.slice(0, 12), title: s.sha })));
    this.plain(element("table", {}, head, ...rows, hashes));
  }

  listed(label, head = []) {
    const host = element("div", { tabIndex: 0 });
    host.setAttribute("role", "listbox");
    host.setAttribute("aria-label", label);
    const hadFocus = this.panel.contains(document.activeElement);
    this.panel.replaceChildren(element("div", { className: "bar" }, ...head), host);
    if (hadFocus) host.focus();
    this.rows = new Rows(host, fillRow, (item) => this.page.lineChosen(item.line ?? 0, this));
    return this.rows;
  }

  drawCode() {
    const kernel = this.kernel();
    if (!kernel) return this.plain(element("pre", { textContent: "No code was executed." }));
    this.needLines();
    const rows = this.listed(`Machine code on ${this.target}`, [`${kernel.stage} ${kernel.width}, ${kernel.rows.length} rows`]);
    rows.set(kernel.rows);
    this.markLine(true);
  }

  askDriver(form, signal) {
    const request = { test: state.test, target: this.target, form };
    if (state.text !== null) request.text = state.text;
    return ask("driver", request, signal);
  }

  /** What Mesa's driver submits on a virtual GPU. */
  drawDriver() {
    if (this.target === "reference") {
      return this.plain(element("pre", { textContent: "The reference has no virtual GPU." }));
    }
    const select = element("select", { title: "Form" });
    select.setAttribute("aria-label", "Form of the driver");
    select.append(...driverForms(this.target).map((form) => new Option(form)));
    const driver = driverForm(this.target, state.driver);
    select.value = driver;
    select.addEventListener("change", () => {
      state.driver = select.value;
      this.page.formChanged();
    });
    const answer = this.form(`driver ${driver}`, driver, (form, signal) => this.askDriver(form, signal));
    if (!answer) return;
    if (answer.error !== undefined) {
      return this.plain(element("div", { className: "bar" }, select), element("pre", { className: "fail", textContent: answer.error }));
    }
    const rows = this.listed(`Mesa's driver on ${this.target}`, [select, "Mesa on a virtual GPU", answer.cut ? "(cut)" : ""]);
    rows.set(answer.text.split("\n").map((text) => ({ text, note: text.startsWith("//") })));
    if (answer.message) {
      const message = element("pre", { className: "driver-message fail", textContent: answer.message });
      message.setAttribute("role", "status");
      this.panel.append(message);
    }
  }

  /** Draws the form anew: cursor and place of its rows stay. */
  drawAgain() {
    const { cursor, host } = this.rows ?? { cursor: -1 };
    const top = host?.scrollTop;
    this.draw();
    if (!this.rows || cursor < 0) return;
    this.rows.cursor = cursor;
    this.rows.host.scrollTop = top;
    this.rows.draw();
  }

  /** Asks for a form once; draws again when it is there. */
  form(key, form, asked = (form, signal) => this.ask(form, signal)) {
    const known = this.forms[key];
    if (known) return known;
    this.pending?.abort();
    this.pending = new AbortController();
    const forms = this.forms;
    this.plain(element("pre", { textContent: "…" }));
    asked(form, this.pending.signal).then((answer) => forms[key] = answer, (error) => {
      if (error.name !== "AbortError") forms[key] = { error: error.message };
    }).then(() => {
      if (forms === this.forms && forms[key]) this.draw();
    });
    return null;
  }

  failed(answer) {
    const reason = answer.error ?? answer.verdict?.reason;
    if (reason !== undefined) this.plain(element("pre", { className: "fail", textContent: reason ?? "" }));
    return reason !== undefined;
  }

  drawIr() {
    const stage = this.stage();
    const of = (run) => (run < 0 ? { kind: "ir", stage } : { kind: "ir", stage, run });
    const answer = this.form(`ir ${stage} ${state.pass}`, of(state.pass));
    if (!answer || this.failed(answer)) return;
    const base = state.base < 0 ? null : this.form(`ir ${stage} ${state.base}`, of(state.base));
    if (state.base >= 0 && (!base || this.failed(base))) return;
    const choice = (name, chosen, first) => {
      const select = element("select", { title: name });
      select.setAttribute("aria-label", name);
      select.append(element("option", { value: -1, textContent: first }));
      answer.runs.forEach((run, index) => select.append(element("option", {
        value: index, textContent: `${index} ${run.pass}${run.changed ? "" : " (no change)"}`,
      })));
      select.value = chosen;
      select.addEventListener("change", () => {
        state[name === "Pass" ? "pass" : "base"] = Number(select.value);
        this.page.formChanged();
      });
      return select;
    };
    const head = [choice("Pass", state.pass, "the end"), "compared with", choice("Base", state.base, "nothing")];
    const rows = this.listed(`IR on ${this.target}`, head);
    rows.set(base ? changes(base.rows, answer.rows) : answer.rows);
    this.markLine(true);
  }

  drawTrace() {
    const stage = this.stage();
    const { pixel } = state;
    const form = { kind: "trace", stage };
    if (state.width) form.width = state.width;
    const isPixel = pixel && stage === "fragment";
    if (isPixel) form.pixel = pixel;
    this.needLines();
    const answer = this.form(`trace ${stage} ${state.width} ${isPixel ? `${pixel.x},${pixel.y}` : ""}`, form);
    if (!answer || this.failed(answer)) return;
    const items = this.traceRows(answer.text);
    const head = isPixel ? `pixel (${pixel.x},${pixel.y}): ${lanes(items)}` : `every thread of the ${stage} shader`;
    const more = answer.cut ? "; the end is left out" : "";
    const rows = this.listed(`Trace on ${this.target}`, [`${head}${more}`]);
    rows.set(items);
    this.markLine(true);
  }

  /** Rows of a trace: the source lines are those of the code at the same offset. */
  traceRows(text) {
    const lines = new Map();
    for (const kernel of this.kernels()) {
      const offsets = new Map(kernel.rows.map((row) => [row.offset, row.line]));
      lines.set(`${kernel.stage} ${kernel.width}`, offsets);
    }
    let offsets = new Map();
    let current;
    let lane = -1;
    this.lineValues = new Map();
    return text.split("\n").filter((row) => row).map((row) => {
      const thread = /^\/\/ (.+ \S+), (?:thread|wave) /.exec(row);
      if (thread) {
        offsets = lines.get(thread[1]) ?? new Map();
        current = {};
        lane = Number(/, lane (\d+) shades /.exec(row)?.[1] ?? -1);
        return { text: row, note: true };
      }
      const step = /^ *\d+ 0x([0-9a-f]+) /.exec(row);
      if (step) {
        const offset = parseInt(step[1], 16);
        current = { offset, line: offsets.get(offset) };
      } else if (lane >= 0 && current.line) {
        // A general register has eight lanes of 32 bits; of a vector register the lane alone is shown.
        const [name, ...words] = row.trim().split(/ +/);
        const word = words.length === 8 ? words[lane % 8] : name.startsWith("v") ? words[0] : undefined;
        if (word) {
          if (!this.lineValues.has(current.line)) this.lineValues.set(current.line, new Set());
          this.lineValues.get(current.line).add(word);
        }
      }
      return { text: row, ...current };
    });
  }

  /** Words of the buffers; those that differ between the executors are marked. */
  drawBuffers() {
    const buffers = this.buffers ?? [];
    if (!buffers.length) return this.plain(element("pre", { textContent: "The test has no buffers." }));
    const rows = this.listed(`Buffers on ${this.target}`, ["offset, words, numbers"]);
    const items = [];
    for (const buffer of buffers) {
      const other = buffers.find((b) => b.name === buffer.name && b.executor !== buffer.executor);
      items.push({ text: `${buffer.name} of the ${buffer.executor}, ${buffer.size} bytes`, note: true });
      const { words } = buffer;
      for (let at = 0; at < words.length; at += 4) {
        const part = words.subarray(at, at + 4);
        const isOther = other && part.some((word, index) => word !== other.words[at + index]);
        const hex = Array.from(part, (word) => word.toString(16).padStart(8, "0")).join(" ");
        const floats = Array.from(new Float32Array(part.slice().buffer), (v) => Number(v.toPrecision(6))).join(" ");
        items.push({ text: `${(at * 4).toString(16).padStart(4, "0")}  ${hex.padEnd(35)}  ${floats}`, change: isOther ? "removed" : undefined });
      }
    }
    rows.set(items);
  }

  /** Marks the rows of the line of interest. */
  markLine(scrolls) {
    if (!this.rows) return -1;
    const { line } = state;
    return this.rows.mark((item) => line > 0 && item.line === line, scrolls);
  }
}
