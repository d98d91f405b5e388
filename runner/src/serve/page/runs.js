// Runs: their results, history and differences.

import { ask } from "./api.js";
import { Rows } from "./rows.js";
import { state, writeAddress } from "./state.js";

// Interval in which an unfinished run is read again.
const LIVE = 2000;
const STATUSES = ["", "unexpected", "pass", "fail", "crash", "timeout", "skip", "warn"];

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function select(label, changed) {
  const made = element("select");
  made.setAttribute("aria-label", label);
  made.addEventListener("change", () => changed(made.value));
  return made;
}

export class Runs {
  /** `opened(result)` opens a chosen result or returns why not; `shown()` hears of other runs. */
  constructor(host, opened, shown) {
    this.host = host;
    this.shown = shown;
    this.results = [];
    this.run = select("Run", (run) => this.show(run, state.old));
    this.old = select("Compare with", (old) => this.show(state.run, old));
    this.status = select("Status", () => this.draw());
    this.status.append(...STATUSES.map((status) => new Option(status || "any status", status)));
    this.words = element("input", { type: "search", placeholder: "Filter results" });
    this.words.setAttribute("aria-label", "Filter results");
    this.words.addEventListener("input", () => this.draw());
    this.words.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown") return;
      this.rows.host.focus();
      this.rows.choose(0, false);
      event.preventDefault();
    });
    this.facts = "";
    this.message = element("span");
    this.message.setAttribute("role", "status");
    this.history = element("div", { className: "bar" });
    this.history.hidden = true;
    const list = element("div", { tabIndex: 0, id: "results" });
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Results: Enter opens the test");
    this.rows = new Rows(list, (row, item) => this.fill(row, item), (item, _, opens) => {
      if (opens) this.message.textContent = opened(item) || this.facts;
      else this.showHistory(item.test);
    });
    const bar = element("div", { className: "bar" }, element("label", {}, "Run ", this.run),
      element("label", {}, "compared with ", this.old), this.status, this.words, this.message);
    host.append(bar, this.history, list);
  }

  focus() {
    this.run.focus();
  }

  /** Lists the runs and shows those of the address. */
  async open() {
    let runs;
    try {
      runs = await ask("runs");
    } catch (error) {
      this.message.textContent = error.message;
      return;
    }
    const options = (first) => [new Option(first, ""), ...runs.map(({ name, time }) => new Option(`${name}  ${new Date(time * 1000).toISOString().slice(0, 16)}`, name))];
    this.run.replaceChildren(...options("(choose a run)"));
    this.old.replaceChildren(...options("(nothing)"));
    const names = runs.map((run) => run.name);
    const run = names.includes(state.run) ? state.run : names[0] ?? "";
    await this.show(run, names.includes(state.old) ? state.old : "");
  }

  async show(run, old, keeps = false) {
    Object.assign(state, { run, old });
    [this.run.value, this.old.value] = [run, old];
    writeAddress();
    this.shown();
    if (!run) {
      this.results = [];
      this.message.textContent = "There is no run yet: `runner PATH` makes one.";
      return this.draw();
    }
    clearTimeout(this.again);
    if (!keeps) this.message.textContent = "…";
    try {
      this.results = old ? await this.differences(old, run) : await this.table(run);
      this.facts = this.message.textContent;
    } catch (error) {
      this.results = [];
      this.message.textContent = error.message;
    }
    this.draw(keeps);
  }

  async table(run) {
    const { results, unfinished } = await ask("run", { run });
    const counts = new Map();
    for (const [, , , status] of results) counts.set(status, (counts.get(status) ?? 0) + 1);
    const texts = [...counts].map(([status, count]) => `${status}: ${count}`);
    if (unfinished) {
      texts.push(`not run: ${unfinished}`);
      this.again = setTimeout(() => {
        if (!this.host.hidden && state.run === run && !state.old) this.show(run, "", true);
      }, LIVE);
    }
    this.message.textContent = texts.join(", ");
    return results.map(([test, gen, variant, status, outcome, phase, reason]) => ({
      test, gen, variant, status, outcome, name: status,
      text: `${status.padEnd(8)} ${outcome.padEnd(11)} ${gen.padEnd(10)} ${test}${variant ? ` (${variant})` : ""}  ${phase} ${reason}`,
    }));
  }

  async differences(old, now) {
    const diff = await ask("diff", { old, new: now });
    const { changes, same, code } = diff;
    const totals = (code?.metrics ?? []).map((metric) => `${metric.name}: ${metric.total_old} → ${metric.total_new}`);
    this.message.textContent = [`${changes.length} changed`, `${same} the same`, ...totals].join(", ");
    return changes.map(({ test, gen, change, old: before, new: after, layer, reason }) => ({
      test, gen, status: after ?? "", outcome: "", name: after ?? "skip",
      text: `${change.padEnd(12)} ${(before ?? "–").padEnd(8)} → ${(after ?? "–").padEnd(8)} ${gen.padEnd(10)} ${test}  ${layer ?? ""} ${(reason ?? "").split("\n")[0]}`,
    }));
  }

  fill(row, item) {
    row.textContent = item.text;
    row.classList.add(item.name);
  }

  draw(keeps = false) {
    const words = this.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { value } = this.status;
    const isWanted = (item) => (!value || item.status === value || item.outcome === value) &&
      words.every((word) => item.text.toLowerCase().includes(word));
    this.rows.set(this.results.filter(isWanted), keeps);
  }

  async showHistory(test) {
    let series = [];
    try {
      series = await ask("history", { test });
    } catch {
      // A history need not exist.
    }
    this.history.hidden = series.length === 0;
    this.history.replaceChildren(...series.slice(0, 8).map(({ generation, points }) => {
      const marks = points.map(([run, time, status, phase]) => element("span", {
        className: status, textContent: status === "pass" ? "●" : "✕",
        title: `${run} ${new Date(time * 1000).toISOString().slice(0, 16)} ${status} ${phase}`,
      }));
      return element("span", {}, `${generation}: `, ...marks);
    }));
  }
}
