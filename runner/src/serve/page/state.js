// The state of the page, kept in the address behind the #.

import { packedText, unpackedText } from "./api.js";

// Longer texts are not kept in the address.
const LONGEST = 24000;

/** What the page shows. `text` is the edited text, or null for the file's. */
export const state = {
  view: "test",
  test: "",
  targets: [],
  tab: "verdict",
  tabs: {},
  stage: "",
  width: "",
  backend: "",
  math: "",
  shade: "",
  reference: true,
  options: "",
  line: 0,
  pixel: null,
  driver: "batch",
  pass: -1,
  base: -1,
  run: "",
  old: "",
  filter: "",
  text: null,
};

const TEXTS = ["view", "test", "tab", "stage", "width", "backend", "math", "shade", "options", "run", "old", "filter", "driver"];
const NUMBERS = ["line", "pass", "base"];
const PLAIN = { view: "test", tab: "verdict", driver: "batch", line: 0, pass: -1, base: -1 };

// Options that only the command line sets.
const FOREIGN = ["binaries", "compiler", "compile-only", "driver", "gl-device", "gl-platform", "mock", "rewrite", "vk-device", "vk-validate"];

// The address that was read or written last.
let known = "";

/** Reads the address. */
export async function readAddress() {
  known = location.hash;
  const words = new URLSearchParams(location.hash.slice(1));
  for (const name of TEXTS) state[name] = words.get(name) ?? PLAIN[name] ?? "";
  for (const name of NUMBERS) {
    const number = Number(words.get(name) ?? PLAIN[name]);
    state[name] = Number.isInteger(number) ? number : PLAIN[name];
  }
  state.targets = words.get("gen")?.split(",").filter(Boolean) ?? [];
  state.reference = words.get("reference") !== "no";
  const pixel = words.get("pixel")?.split(",").map(Number);
  state.pixel = pixel?.length === 2 && pixel.every(Number.isInteger) ? { x: pixel[0], y: pixel[1] } : null;
  state.tabs = {};
  for (const part of words.get("tabs")?.split(",") ?? []) {
    const [target, tab] = part.split(":");
    if (tab) state.tabs[target] = tab;
  }
  try {
    state.text = words.has("text") ? await unpackedText(words.get("text")) : null;
  } catch {
    state.text = null;
  }
}

let writing = 0;
let heard = () => {};

/** `listener(isWhole)` hears of each written address: false if the edited text does not fit. */
export function onWritten(listener) {
  heard = listener;
}

/** Writes the address soon, without an entry in the history. */
export function writeAddress() {
  clearTimeout(writing);
  writing = setTimeout(async () => {
    const words = new URLSearchParams();
    for (const name of [...TEXTS, ...NUMBERS]) {
      if (state[name] !== (PLAIN[name] ?? "")) words.set(name, state[name]);
    }
    words.set("gen", state.targets.join(","));
    if (!state.reference) words.set("reference", "no");
    if (state.pixel) words.set("pixel", `${state.pixel.x},${state.pixel.y}`);
    const tabs = Object.entries(state.tabs).map(([target, tab]) => `${target}:${tab}`);
    if (tabs.length) words.set("tabs", tabs.join(","));
    let isWhole = true;
    if (state.text !== null) {
      const text = await packedText(state.text);
      isWhole = text.length <= LONGEST;
      if (isWhole) words.set("text", text);
    }
    const readable = words.toString().replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
    // A new address that the page has not heard of yet is the user's: it stays.
    if (location.hash !== known) return;
    history.replaceState(null, "", `${location.pathname}${location.search}#${readable}`);
    known = location.hash;
    heard(isWhole);
  }, 150);
}

/**
 * Takes the options over with which a run got a result: `backend=vec4,disable-pass=a+b`. Returns
 * those that the page cannot set.
 */
export function takeVariant(variant) {
  const rest = [];
  const left = [];
  Object.assign(state, { backend: "", width: "", math: "", shade: "", reference: true });
  for (const option of variant.split(",").filter(Boolean)) {
    const at = option.indexOf("=");
    const [name, value] = [option.slice(0, at), option.slice(at + 1)];
    if (["backend", "width", "math", "shade"].includes(name)) state[name] = value;
    else if (name === "reference") state.reference = value !== "no";
    else if (["disable-pass", "disable-quirk", "pass-limit"].includes(name)) {
      rest.push(...value.split("+").map((part) => `--${name} ${part}`));
    } else if (name === "spirv") rest.push("--spirv");
    else if (name === "validate") rest.push("--no-validate");
    else if (FOREIGN.includes(name)) left.push(option);
    else rest.push(`--${name} ${value}`);
  }
  state.options = rest.join(" ");
  return left;
}

/** The options of looks as words. */
export function optionWords() {
  const words = [];
  for (const name of ["backend", "width", "math", "shade"]) {
    if (state[name]) words.push(`--${name}`, state[name]);
  }
  if (!state.reference) words.push("--no-reference");
  return words.concat(state.options.split(/\s+/).filter(Boolean));
}
