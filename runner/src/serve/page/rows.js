// A list of rows of equal height, of which only the visible ones are elements.

const HEIGHT = 18;
// Browsers limit the height of elements; rows beyond it cannot be reached by scrolling.
const MOST = 900000;

export class Rows {
  /** `fill(element, item, index)` shows an item; `chosen(item, index, isOpened)` hears of the cursor. */
  constructor(host, fill, chosen) {
    this.host = host;
    this.fill = fill;
    this.chosen = chosen;
    this.items = [];
    this.cursor = -1;
    this.isMarked = () => false;
    this.room = document.createElement("div");
    this.room.className = "room";
    host.classList.add("rows");
    host.replaceChildren(this.room);
    host.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(host);
    host.addEventListener("keydown", (event) => this.key(event));
    host.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.choose(Number(row.dataset.index), true);
    });
  }

  /** Shows other items; the cursor stays where it was if `keeps`. */
  set(items, keeps = false) {
    this.items = items.length > MOST ? items.slice(0, MOST) : items;
    if (!keeps || this.cursor >= items.length) this.cursor = -1;
    this.room.style.height = `${this.items.length * HEIGHT}px`;
    if (!keeps) this.host.scrollTop = 0;
    this.draw();
  }

  /** Marks the rows that satisfy a condition, and scrolls to the first one on request. */
  mark(isMarked, scrolls) {
    this.isMarked = isMarked;
    const first = scrolls ? this.items.findIndex((item) => isMarked(item)) : -1;
    if (first >= 0) this.show(first);
    this.draw();
    return first;
  }

  show(index) {
    const { host } = this;
    const top = index * HEIGHT;
    if (top < host.scrollTop || top + HEIGHT > host.scrollTop + host.clientHeight) {
      host.scrollTop = Math.max(0, top - host.clientHeight / 3);
    }
  }

  choose(index, opens) {
    if (!this.items.length) return;
    this.cursor = Math.min(Math.max(index, 0), this.items.length - 1);
    this.show(this.cursor);
    this.draw();
    this.chosen?.(this.items[this.cursor], this.cursor, opens);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.host.clientHeight / HEIGHT) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -MOST, End: MOST };
    if (event.key in moves) {
      this.choose(this.cursor + moves[event.key], false);
    } else if (event.key === "Enter") {
      this.choose(this.cursor, true);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.host.scrollTop / HEIGHT) - 4);
    const last = Math.min(this.items.length, first + Math.ceil(this.host.clientHeight / HEIGHT) + 8);
    const rows = [];
    for (let index = first; index < last; index++) {
      const row = document.createElement("div");
      row.className = "row";
      row.style.top = `${index * HEIGHT}px`;
      row.dataset.index = index;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(index === this.cursor));
      this.fill(row, this.items[index], index);
      row.classList.toggle("marked", Boolean(this.isMarked(this.items[index])));
      row.classList.toggle("cursor", index === this.cursor);
      rows.push(row);
    }
    this.room.replaceChildren(...rows);
  }
}
