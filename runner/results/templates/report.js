"use strict";
// Rows arrive in chunks: [test, [[gen, status, phase, outcome, change, µs, instructions, reason, page], …]] with the
// numbers of words in META, reasons counted from 1 in the chunk's own list, and pages from 1; 0 is none.
var META = null, ROWS = [];
function meta(value) { META = value; }
function chunk(tests, reasons) {
  for (const [test, results] of tests) {
    for (const r of results) {
      ROWS.push({ test, gen: r[0], status: r[1], layer: r[2], outcome: r[3], change: r[4], time: r[5],
        instructions: r[6], reason: r[7] ? reasons[r[7] - 1] : "", page: r[8] });
    }
  }
}

const HEIGHT = 24, SPARE = 10;
let shown = [], chosen = new Set(), sorted = { column: "", down: false };
const at = id => document.getElementById(id);

function directories() {
  const counts = new Map();
  let last = "";
  for (const row of ROWS) {
    if (row.test === last) continue;
    last = row.test;
    const parts = row.test.split("/");
    for (let depth = 1; depth < Math.min(parts.length, 6); depth++) {
      const name = parts.slice(0, depth).join("/");
      counts.set(name, (counts.get(name) || 0) + 1);
    }
  }
  return [...counts].filter(entry => entry[1] > 1 || counts.size < 400).sort((a, b) => (a[0] < b[0] ? -1 : 1)).slice(0, 3000);
}

function option(select, value, text) {
  const element = document.createElement("option");
  element.value = value;
  element.textContent = text;
  select.append(element);
}

function fill() {
  const used = key => new Set(ROWS.map(row => row[key]));
  for (const [id, words] of [["change", META.changes], ["layer", META.phases], ["gen", META.gens], ["outcome", META.outcomes]]) {
    const there = used(id);
    words.forEach((word, index) => { if (word && there.has(index)) option(at(id), String(index), word); });
    if (at(id).options.length < 2) at(id).hidden = true;
  }
  for (const [name, count] of directories()) option(at("directory"), name, `${name}/  (${count})`);
}

function select() {
  const number = id => (at(id).value === "" ? -1 : Number(at(id).value));
  const change = number("change"), phase = number("layer"), gen = number("gen"), outcome = number("outcome");
  const directory = at("directory").value ? at("directory").value + "/" : "";
  const words = at("text").value.toLowerCase().split(/\s+/).filter(word => word);
  const fits = row =>
    (!chosen.size || chosen.has(row.status)) && (change < 0 || row.change === change) && (phase < 0 || row.layer === phase) &&
    (gen < 0 || row.gen === gen) && (outcome < 0 || row.outcome === outcome) && row.test.startsWith(directory) &&
    words.every(word => row.test.toLowerCase().includes(word) || row.reason.toLowerCase().includes(word));
  shown = ROWS.filter(fits);
  if (sorted.column) {
    const key = sorted.column, sign = sorted.down ? -1 : 1;
    shown.sort((a, b) => sign * (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
  }
  at("count").textContent = `${shown.length.toLocaleString("en")} of ${ROWS.length.toLocaleString("en")} results`;
  at("space").style.height = shown.length * HEIGHT + "px";
  at("view").scrollTop = 0;
  draw();
  remember();
}

function cell(text, name) {
  const element = document.createElement("span");
  element.textContent = text;
  element.title = text;
  if (name) element.className = name;
  return element;
}

// The last part of a name always shows, the folders before it as far as there is room.
function nameCell(test) {
  const element = document.createElement("span"), end = test.lastIndexOf("/") + 1;
  element.title = test;
  element.className = "name";
  for (const [name, text] of [["directory", test.slice(0, end)], ["leaf", test.slice(end)]]) {
    const part = document.createElement("span");
    part.className = name;
    part.textContent = text;
    element.append(part);
  }
  return element;
}

function line(row) {
  const element = document.createElement(row.page ? "a" : "div");
  element.className = "row";
  if (row.page) element.href = `pages/${row.page}.html`;
  const status = META.statuses[row.status], change = META.changes[row.change];
  element.append(nameCell(row.test), cell(META.gens[row.gen]), cell(status, status), cell(change, change),
    cell(META.phases[row.layer]), cell((row.time / 1000).toFixed(1), "number"),
    cell(row.instructions ? String(row.instructions) : "", "number"), cell(row.reason, "reason"));
  return element;
}

function draw() {
  const view = at("view"), first = Math.max(0, Math.floor(view.scrollTop / HEIGHT) - SPARE);
  const count = Math.ceil(view.clientHeight / HEIGHT) + 2 * SPARE;
  at("rows").style.transform = `translateY(${first * HEIGHT}px)`;
  at("rows").replaceChildren(...shown.slice(first, first + count).map(line));
}

// The address keeps the filters, so that they can be linked to and survive going back.
const FIELDS = ["text", "directory"], WORDS = { change: "changes", layer: "phases", gen: "gens", outcome: "outcomes" };
function remember() {
  const parts = new URLSearchParams();
  if (chosen.size) parts.set("status", [...chosen].sort().map(index => META.statuses[index]).join(","));
  for (const id of FIELDS) if (at(id).value) parts.set(id, at(id).value);
  for (const id in WORDS) if (at(id).value) parts.set(id, META[WORDS[id]][at(id).value]);
  if (sorted.column) parts.set("sort", (sorted.down ? "-" : "") + sorted.column);
  history.replaceState(null, "", parts.toString() ? "#" + parts : location.pathname + location.search);
}

function recall() {
  const parts = new URLSearchParams(location.hash.slice(1));
  chosen = new Set((parts.get("status") || "").split(",").map(name => META.statuses.indexOf(name)).filter(index => index >= 0));
  for (const id of FIELDS) at(id).value = parts.get(id) || "";
  for (const id in WORDS) {
    const index = META[WORDS[id]].indexOf(parts.get(id) || "?");
    at(id).value = index < 0 ? "" : String(index);
  }
  const column = parts.get("sort") || "";
  sorted = { column: column.replace(/^-/, ""), down: column.startsWith("-") };
  mark();
}

function mark() {
  for (const chip of document.querySelectorAll(".chip")) chip.classList.toggle("on", chosen.has(Number(chip.dataset.value)));
}

function start() {
  fill();
  recall();
  at("statuses").addEventListener("click", event => {
    const chip = event.target.closest(".chip");
    if (!chip) return;
    const value = Number(chip.dataset.value);
    if (!chosen.delete(value)) chosen.add(value);
    mark();
    select();
  });
  at("head").addEventListener("click", event => {
    const column = event.target.dataset.column;
    if (!column) return;
    sorted = { column, down: sorted.column === column && !sorted.down };
    select();
  });
  at("filters").addEventListener("input", select);
  at("filters").addEventListener("submit", event => event.preventDefault());
  at("filters").addEventListener("reset", () => { chosen.clear(); sorted.column = ""; mark(); setTimeout(select, 0); });
  at("view").addEventListener("scroll", draw);
  addEventListener("resize", draw);
  addEventListener("hashchange", () => { recall(); select(); });
  select();
}
