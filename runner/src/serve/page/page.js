// The page: joins list, text, columns and pictures.

import { ask } from "./api.js";
import { Column, driverForm, isAmd, TABS } from "./column.js";
import { Editor } from "./editor.js";
import * as pictures from "./pictures.js";
import { Rows } from "./rows.js";
import { onWritten, optionWords, readAddress, state, takeVariant, writeAddress } from "./state.js";
import { Runs } from "./runs.js";

const $ = (id) => document.getElementById(id);

// Time for further keys before a text is executed.
const PAUSE = 15;
// Interval in which a watched file is looked at.
const WATCH = 400;

// The file of a test that cannot be read.
const NO_FILE = { text: "", path: "", version: "" };

let start;
let names = [];
let file = { ...NO_FILE };
let columns = [];
let tests;
let editor;
let runs;
let edited = 0;
// Number of the last opened test: answers for earlier ones come too late.
let openings = 0;

const page = {
  lineChosen(line, column) {
    state.line = line;
    const isHere = document.activeElement === $("text");
    editor.mark(line, errorLine(), !isHere);
    for (const other of columns) other.markLine(other !== column);
    writeAddress();
  },
  tabChosen() {
    drawCommand();
    writeAddress();
  },
  formChanged() {
    for (const column of columns) column.draw();
    drawCommand();
    writeAddress();
  },
  async looked(column) {
    const all = column.look?.pictures ?? [];
    column.pictures = await Promise.all(all.map(pictures.decoded));
    column.buffers = await Promise.all((column.look?.buffers ?? []).map(pictures.decodedBuffer));
    editor.mark(state.line, errorLine(), false);
    drawStages();
    drawPictures();
    drawState();
    drawCommand();
    document.body.dataset.latency = Math.round(performance.now() - edited);
    document.body.dataset.looks = Number(document.body.dataset.looks ?? 0) + 1;
  },
};

function errorLine() {
  return columns.map((column) => column.look?.verdict?.line).find((line) => line) ?? 0;
}

function drawState() {
  const known = columns.filter((c) => c.running || c.look || c.error);
  const texts = known.map((c) => `${c.target}: ${c.running ? "running" : c.status.textContent}`);
  $("state").textContent = texts.join(", ");
}

function drawStages() {
  const stages = [...new Set(columns.flatMap((column) => column.kernels().map((kernel) => kernel.stage)))];
  fill($("stage"), ["", ...stages], state.stage, (stage) => stage || "last");
}

function fill(select, values, chosen, title = (value) => value) {
  const wanted = values.includes(chosen) ? values : [...values, chosen];
  select.replaceChildren(...wanted.map((value) => new Option(title(value), value, false, value === chosen)));
}

/** The pictures of the columns, the reference's once, and their differences. */
function shownPictures() {
  const shown = [];
  let reference = null;
  for (const column of columns) {
    const of = (executor) => column.pictures?.find((picture) => picture.executor === executor);
    const [simulator, second] = [of("simulator"), of("reference")];
    if (simulator) shown.push({ title: column.target, picture: simulator, target: column.target });
    if (second && !reference) {
      reference = second;
      shown.push({ title: "reference", picture: second });
    }
    if (pictures.isComparable(simulator, second)) {
      const { canvas, count } = pictures.differenceCanvas(simulator, second);
      shown.push({ title: count ? `${column.target}: ${count} differ` : `${column.target}: no difference`, canvas, picture: simulator, isDifference: true, count });
    }
  }
  return shown;
}

let shown = [];

function drawPictures() {
  shown = shownPictures();
  const zoom = Number($("zoom").value);
  const host = $("pictures");
  const figures = shown.map((item) => {
    const canvas = item.canvas ?? pictures.canvas(item.picture);
    const { width, height } = item.picture;
    // Caption, frame and a scrollbar need some room.
    const scale = zoom || Math.max(Math.min((host.offsetHeight - 56) / height, 8), 0.1);
    canvas.style.width = `${width * scale}px`;
    canvas.style.height = `${height * scale}px`;
    const frame = document.createElement("div");
    frame.className = "frame";
    const pin = document.createElement("div");
    pin.className = "pin";
    frame.append(canvas, pin);
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      const x = Math.floor((event.clientX - box.left) / scale);
      const y = height - 1 - Math.floor((event.clientY - box.top) / scale);
      return { x: Math.min(Math.max(x, 0), width - 1), y: Math.min(Math.max(y, 0), height - 1) };
    };
    canvas.addEventListener("mousemove", (event) => drawValues(place(event)));
    canvas.addEventListener("mouseleave", () => drawValues(state.pixel));
    canvas.addEventListener("click", (event) => choosePixel(place(event), true));
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.textContent = `${item.title}  ${width}×${height} ${item.isDifference ? "" : item.picture.format}`;
    if (item.count) caption.className = "fail";
    figure.append(caption, frame);
    figure.dataset.title = item.title;
    Object.assign(item, { pin, scale });
    return figure;
  });
  host.replaceChildren(...figures);
  drawPin();
  drawValues(state.pixel);
}

function drawPin() {
  for (const { pin, scale, picture } of shown) {
    pin.hidden = !state.pixel;
    if (!state.pixel) continue;
    pin.style.left = `${state.pixel.x * scale}px`;
    pin.style.top = `${(picture.height - 1 - state.pixel.y) * scale}px`;
    pin.style.width = pin.style.height = `${Math.max(scale, 2)}px`;
  }
}

function drawValues(pixel) {
  const texts = [];
  for (const { title, picture, isDifference } of pixel ? shown : []) {
    if (isDifference || pixel.x >= picture.width || pixel.y >= picture.height) continue;
    const index = pixel.y * picture.width + pixel.x;
    const note = picture.undefined.includes(index) ? " (undefined)" : "";
    texts.push(`${title}: ${pictures.shown(picture, pixel.x, pixel.y)}${note}`);
  }
  $("values").textContent = pixel ? `(${pixel.x},${pixel.y})  ${texts.join("   ")}` : "";
}

function choosePixel(pixel, traces) {
  state.pixel = pixel;
  drawPin();
  drawValues(pixel);
  if (traces) {
    state.stage = "fragment";
    state.tab = "trace";
    state.tabs = {};
    for (const column of columns) column.drawTabs();
    drawStages();
  }
  for (const column of columns) if (column.tab === "trace") column.draw();
  drawCommand();
  writeAddress();
}

function pictureKey(event) {
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const picture = shown[0]?.picture;
  if (!picture) return;
  const now = state.pixel ?? { x: 0, y: 0 };
  if (event.key in moves) {
    const step = event.shiftKey ? 10 : 1;
    const [x, y] = moves[event.key];
    const within = (value, size) => Math.min(Math.max(value, 0), size - 1);
    choosePixel({ x: within(now.x + x * step, picture.width), y: within(now.y + y * step, picture.height) }, false);
  } else if (event.key === "Enter") {
    choosePixel(now, true);
  } else {
    return;
  }
  event.preventDefault();
}

/** Goes to the first pixel in which two executors differ. */
function showFirstDifference() {
  const all = shown.filter((item) => !item.isDifference);
  for (const other of all.slice(1)) {
    const pixel = pictures.firstDifference(all[0].picture, other.picture);
    if (pixel) return choosePixel(pixel, true);
  }
  $("values").textContent = all.length > 1 ? "No pixel differs." : "There is one framebuffer only.";
}

/**
 * Goes to the first line of which two traces of the pixel have no value in common. Values may differ
 * on the way, since generations compute in other steps: the results of a line are what agrees.
 */
function showFirstLine() {
  const traced = columns.filter((column) => column.lineValues?.size);
  const text = (set) => [...set].slice(-4).join(" ");
  for (const [line, values] of traced[0]?.lineValues ?? []) {
    for (const other of traced.slice(1)) {
      const others = other.lineValues.get(line);
      if (!others || [...values].some((value) => others.has(value))) continue;
      page.lineChosen(line, null);
      $("values").textContent = `line ${line}: ${traced[0].target} ${text(values)}, ${other.target} ${text(others)}`;
      return;
    }
  }
  $("values").textContent = traced.length > 1 ? "The values of every line agree." : "Choose a pixel, and two generations with traces.";
}

function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The words that `runner show` takes: it does not execute the reference. */
function showWords(words) {
  return words.filter((word, index) => {
    const isOf = (name) => word === name || words[index - 1] === name;
    return word !== "--no-reference" && !isOf("--math") && !isOf("--shade");
  });
}

/** The words of a run on the chosen targets: generations run with the reference anyway. */
function runWords(words) {
  const generations = state.targets.filter((target) => target !== "reference");
  const hasReference = generations.length < state.targets.length;
  const rest = hasReference ? words.filter((word) => word !== "--no-reference") : words;
  return [...(generations.length ? ["--gen", generations.join(",")] : ["--reference-only"]), ...rest];
}

/** The words of `runner show` for the form of a column. */
function formWords(column, form, words) {
  const of = ["--gen", column.target];
  if (column.tab === "driver") return [...of, "--driver", "mesa", form];
  const stage = column.stage();
  const isPixel = form === "trace" && stage === "fragment" && state.pixel;
  const pixel = isPixel ? ["--pixel", `${state.pixel.x},${state.pixel.y}`] : [];
  return [...of, "--stage", stage.replaceAll(" ", "-"), ...showWords(words), ...pixel, form];
}

/** The command line that shows the same. */
function commandOfTest() {
  // The reference has no form of its own.
  const column = columns.find((column) => column.target !== "reference");
  const words = optionWords();
  const form = column && { code: isAmd(column.target) ? "gcn" : "eu", trace: "trace", numbers: "stats",
    ir: "ir", driver: driverForm(column.target, state.driver) }[column.tab];
  const test = file.path || state.test;
  const all = form ? ["show", test, ...formWords(column, form, words)] : [test, ...runWords(words)];
  const note = state.text === null ? "" : "  # of the file, without the edit: save it first";
  return `runner ${all.map(quoted).join(" ")}${note}`;
}

/** The command line that shows the same runs. */
function commandOfRuns() {
  const folder = (run) => quoted(`${start.runs}/${run}`);
  if (!state.run) return "";
  return state.old ? `runner diff ${folder(state.old)} ${folder(state.run)}` : `runner summary ${folder(state.run)}`;
}

function drawCommand() {
  $("command").textContent = state.view === "runs" ? commandOfRuns() : commandOfTest();
}

function drawHead() {
  $("name").textContent = state.test;
  const title = state.view === "runs" ? "Runs" : state.test;
  document.title = title ? `${title} – runner` : "runner";
  $("edited").hidden = $("revert").hidden = state.text === null;
}

function refresh() {
  edited = performance.now();
  for (const column of columns) column.refresh();
  drawState();
  drawHead();
  drawCommand();
  writeAddress();
}

let pause = 0;

function changed(text) {
  const first = performance.now();
  state.text = text === file.text ? null : text;
  clearTimeout(pause);
  pause = setTimeout(() => {
    refresh();
    edited = first;
  }, PAUSE);
}

function makeColumns() {
  for (const column of columns) column.running?.abort();
  columns = state.targets.map((target, index) => new Column(target, index, page));
  $("columns").replaceChildren(...columns.map((column) => column.host));
}

function drawTargets() {
  const buttons = start.targets.map((target) => {
    const button = document.createElement("button");
    button.textContent = target;
    button.setAttribute("aria-pressed", String(state.targets.includes(target)));
    button.addEventListener("click", () => {
      const without = state.targets.filter((other) => other !== target);
      const chosen = without.length < state.targets.length ? without : [...without, target];
      state.targets = start.targets.filter((other) => chosen.includes(other));
      if (!state.targets.length) state.targets = [target];
      drawTargets();
      makeColumns();
      refresh();
      $("targets").querySelectorAll("button")[start.targets.indexOf(target)].focus();
    });
    return button;
  });
  $("targets").replaceChildren(...buttons);
}

/** Shows a test that cannot be read: nothing of the one before stays. */
function showUnreadable(message) {
  file = { ...NO_FILE };
  state.text = null;
  editor.set("");
  makeColumns();
  for (const column of columns) column.fail(message);
  editor.mark(0, 0, false);
  drawPictures();
  drawState();
  drawHead();
  drawCommand();
  writeAddress();
}

/** Opens a test: with the rest of the state if `keeps`, or else with what is `chosen` of it. */
async function openTest(name, keeps, chosen = {}) {
  const opening = ++openings;
  let opened;
  let failure;
  try {
    opened = await ask("test", { test: name });
  } catch (error) {
    failure = error.message;
  }
  if (opening !== openings) return;
  state.test = name;
  markOpened();
  const isEdited = keeps && state.text !== null;
  if (failure !== undefined && !isEdited) return showUnreadable(failure);
  file = opened ?? { ...NO_FILE };
  if (!keeps) Object.assign(state, { text: null, line: 0, pixel: null, pass: -1, base: -1, stage: "", width: "", ...chosen });
  editor.set(state.text ?? file.text);
  drawOptions();
  makeColumns();
  drawPictures();
  refresh();
}

function drawOptions() {
  fill($("width"), ["", ...start.widths], state.width, (width) => width || "all");
  for (const name of ["backend", "math", "shade"]) $(name).value = state[name];
  $("reference").checked = state.reference;
  $("options").value = state.options;
  drawStages();
}

function filterTests() {
  const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? names.filter((name) => words.every((word) => name.toLowerCase().includes(word))) : names;
  tests.set(found);
  $("count").textContent = `${found.length} of ${names.length}`;
  markOpened();
}

/** Puts the cursor of the list on the test that is open. */
function markOpened() {
  const index = tests.items.indexOf(state.test);
  if (index >= 0) {
    tests.cursor = index;
    tests.show(index);
    tests.draw();
  }
}

async function watch() {
  try {
    if ($("watch").checked && state.test && state.text === null) {
      const opening = openings;
      const { version } = await ask("version", { test: state.test });
      if (opening !== openings) {
        // Another test is open by now.
      } else if (!version && file.version) {
        // The file is gone: the columns say so in the place of the old results.
        file.version = version;
        refresh();
      } else if (version && version !== file.version) {
        file = await ask("test", { test: state.test });
        const { scrollTop } = $("editor");
        editor.set(file.text);
        $("editor").scrollTop = scrollTop;
        refresh();
      }
    }
  } catch {
    // The server may be gone for a while; the next look says it.
  }
  setTimeout(watch, WATCH);
}

function showView(view) {
  state.view = document.body.dataset.view = view;
  $("test-view").hidden = view !== "test";
  $("runs-view").hidden = view !== "runs";
  $("view-test").setAttribute("aria-pressed", String(view === "test"));
  $("view-runs").setAttribute("aria-pressed", String(view === "runs"));
  if (view === "runs") runs.open();
  drawHead();
  drawCommand();
  writeAddress();
}

function nextTheme() {
  const order = ["", "light", "dark"];
  const now = document.documentElement.dataset.theme ?? "";
  const next = order[(order.indexOf(now) + 1) % order.length];
  setTheme(next);
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  $("theme").textContent = theme ? `Theme: ${theme}` : "Theme";
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Private windows may have no storage.
  }
}

async function copyCommand() {
  try {
    await navigator.clipboard.writeText($("command").textContent);
    $("copy").textContent = "Copied";
  } catch {
    getSelection().selectAllChildren($("command"));
    $("copy").textContent = "Selected";
  }
  setTimeout(() => ($("copy").textContent = "Copy"), 1200);
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inField = event.target.closest("textarea, input:not([type=checkbox]), select");
  if (event.key === "Escape" && inField) {
    event.target.blur();
    return event.preventDefault();
  }
  if (inField || $("keys").open) return;
  const inTests = (action) => () => {
    if (state.view !== "test") showView("test");
    action();
  };
  const actions = {
    l: inTests(() => $("filter").focus()),
    e: inTests(() => $("text").focus()),
    g: inTests(() => $("targets").querySelector("button").focus()),
    o: inTests(() => $("options").focus()),
    p: inTests(() => $("pictures").focus()),
    d: inTests(showFirstDifference),
    i: inTests(showFirstLine),
    r: () => {
      showView(state.view === "runs" ? "test" : "runs");
      (state.view === "runs" ? runs : $("text")).focus();
    },
    t: nextTheme,
    c: copyCommand,
    "?": () => $("keys").showModal(),
  };
  const column = columns[Number(event.key) - 1];
  const action = column ? inTests(() => column.focusTab()) : actions[event.key];
  if (action) {
    action();
    event.preventDefault();
  }
}

function listen() {
  document.addEventListener("keydown", key);
  $("filter").addEventListener("input", () => {
    state.filter = $("filter").value;
    filterTests();
    writeAddress();
  });
  $("filter").addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      $("tests").focus();
      tests.choose(Math.max(tests.cursor, 0), event.key === "Enter");
      event.preventDefault();
    }
  });
  for (const name of ["stage", "width", "backend", "math", "shade"]) {
    $(name).addEventListener("change", () => {
      state[name] = $(name).value;
      if (name === "stage") page.formChanged();
      else refresh();
      drawCommand();
    });
  }
  $("options").addEventListener("change", () => {
    state.options = $("options").value.trim();
    refresh();
  });
  $("reference").addEventListener("change", () => {
    state.reference = $("reference").checked;
    refresh();
  });
  $("revert").addEventListener("click", () => {
    state.text = null;
    editor.set(file.text);
    refresh();
  });
  $("zoom").addEventListener("change", drawPictures);
  $("pictures").addEventListener("keydown", pictureKey);
  $("first-difference").addEventListener("click", showFirstDifference);
  $("first-line").addEventListener("click", showFirstLine);
  $("view-test").addEventListener("click", () => showView("test"));
  $("view-runs").addEventListener("click", () => showView("runs"));
  $("theme").addEventListener("click", nextTheme);
  $("help").addEventListener("click", () => $("keys").showModal());
  $("copy").addEventListener("click", copyCommand);
  addEventListener("resize", drawPictures);
  addEventListener("hashchange", async () => {
    await readAddress();
    await show();
  });
}

/** Opens the test of a result of a run, with its options; returns why not. */
function openResult({ test, gen, variant }) {
  if (!names.includes(test)) return `${test} is not in the list: start \`runner serve\` with its folder.`;
  if (!start.targets.includes(gen)) return `${gen} is a system's driver, on which the page executes nothing.`;
  const shown = { ...state };
  // Differences have no options.
  const left = variant === undefined ? [] : takeVariant(variant);
  const others = left.filter((option) => option !== "driver=mesa");
  if (others.length) {
    Object.assign(state, shown);
    return `Only the command line sets ${others.join(", ")}.`;
  }
  state.targets = [gen];
  Object.assign(state, { tab: left.length ? "driver" : state.tab === "driver" ? "verdict" : state.tab, tabs: {} });
  drawTargets();
  showView("test");
  openTest(test, false, { width: state.width });
  return "";
}

/** Shows what the address says. */
async function show() {
  if (!TABS.includes(state.tab)) state.tab = "verdict";
  state.targets = start.targets.filter((target) => state.targets.includes(target));
  if (!state.targets.length) state.targets = start.shown;
  $("filter").value = state.filter;
  drawTargets();
  filterTests();
  const name = names.includes(state.test) ? state.test : names[0];
  if (name !== undefined) await openTest(name, name === state.test);
  showView(state.view === "runs" ? "runs" : "test");
}

async function main() {
  let theme = "";
  try {
    theme = localStorage.getItem("theme") ?? "";
  } catch {
    // As above.
  }
  setTheme(["light", "dark"].includes(theme) ? theme : "");
  editor = new Editor({ host: $("editor"), text: $("text"), paint: $("paint"), gutter: $("gutter"), marks: $("marks") },
    changed, (line) => page.lineChosen(line, null));
  tests = new Rows($("tests"), (row, name) => (row.textContent = name), (name, _, opens) => {
    if (opens) openTest(name, false);
  });
  runs = new Runs($("runs-view"), openResult, drawCommand);
  onWritten((isWhole) => ($("edited").textContent = isWhole ? "edited" : "edited, too long for the address"));
  try {
    start = await ask("start");
    names = (await ask("tests")).split("\n").filter(Boolean);
  } catch (error) {
    $("state").textContent = error.message;
    $("state").className = "fail";
    return;
  }
  const passes = start.passes.map((pass) => new Option(`--disable-pass ${pass}`));
  const quirks = start.quirks.map((quirk) => new Option(`--disable-quirk ${quirk}`));
  $("words").append(...passes, ...quirks);
  await readAddress();
  if (!location.hash) state.options = start.options.join(" ");
  listen();
  await show();
  watch();
  document.body.dataset.ready = "yes";
}

main();
