// The text of a test: a text field with colors behind it.

const HEIGHT = 18;
// Longer texts are shown without colors.
const COLORED = 200000;

const WORDS = new Set(("if else for while do switch case default break continue return discard in out inout uniform " +
  "attribute varying const buffer shared layout struct flat smooth noperspective centroid sample patch precision " +
  "highp mediump lowp invariant precise subroutine coherent volatile restrict readonly writeonly true false void " +
  "require draw clear probe uniform link relative all rgba rgb rect color arrays compute ssbo texture tolerance success error").split(" "));
const TYPES = /^(void|bool|int|uint|float|double|[biud]?vec[234]|d?mat[234](x[234])?|[iu]?(sampler|image)\w+|atomic_uint|float16_t|f16vec[234]|u?int64_t|gl_\w+)$/;
const TOKEN = /(\/\/.*|\/\*[^]*?(?:\*\/|$)|^#.*$)|(^\[[^\]\n]*\])|("[^"\n]*")|\b(0x[0-9a-fA-F]+\w*|\d+\.?\d*(?:[eE][-+]?\d+)?\w*)|([A-Za-z_]\w*)/gm;

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** A text with a span for each word of interest, as HTML. */
export function colored(text) {
  if (text.length > COLORED) return escaped(text);
  let html = "";
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, comment, head, string, number, word] = match;
    const kind = comment ? (/^#(version|extension|define|if|el|end|undef|pragma|line|include)/.test(whole) ? "h" : "c")
      : head ? "h" : string ? "s" : number ? "n" : TYPES.test(word) ? "y" : WORDS.has(word) ? "k" : "";
    html += escaped(text.slice(end, match.index));
    html += kind ? `<span class="${kind}">${escaped(whole)}</span>` : escaped(whole);
    end = match.index + whole.length;
  }
  return html + escaped(text.slice(end));
}

export class Editor {
  constructor({ host, text, paint, gutter, marks }, changed, moved) {
    Object.assign(this, { host, field: text, paint, gutter, marks });
    this.lines = 0;
    text.addEventListener("input", () => {
      this.draw();
      changed(text.value);
    });
    // The caret moves after the event of a key.
    const caret = () => setTimeout(() => moved(this.line()));
    for (const kind of ["keyup", "click", "focus"]) text.addEventListener(kind, caret);
  }

  get value() {
    return this.field.value;
  }

  set(value) {
    this.field.value = value;
    this.draw();
    this.host.scrollTop = 0;
  }

  /** The line of the caret, from 1. */
  line() {
    const before = this.field.value.slice(0, this.field.selectionStart);
    return before.split("\n").length;
  }

  draw() {
    const text = this.field.value;
    // The parser makes no elements of text: colored() escapes it.
    this.paint.innerHTML = colored(text) + "\n";
    const count = text.split("\n").length;
    if (count !== this.lines) {
      this.lines = count;
      this.gutter.textContent = Array.from({ length: count }, (_, index) => index + 1).join("\n");
    }
  }

  /** Marks the line of interest and the line of an error; 0 means none. */
  mark(line, error, scrolls) {
    const marks = [];
    for (const [kind, number] of [["error", error], ["line", line]]) {
      if (!number) continue;
      const mark = document.createElement("div");
      mark.className = kind;
      mark.style.top = `${(number - 1) * HEIGHT}px`;
      marks.push(mark);
    }
    this.marks.replaceChildren(...marks);
    if (scrolls && line) {
      const top = (line - 1) * HEIGHT;
      const { host } = this;
      if (top < host.scrollTop || top + HEIGHT > host.scrollTop + host.clientHeight) {
        host.scrollTop = Math.max(0, top - host.clientHeight / 3);
      }
    }
  }
}
