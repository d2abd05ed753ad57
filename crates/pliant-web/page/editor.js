// The text of the scene, with line numbers and a mark where an error is.

export class Editor {
  // `run(text)` is called when the user wants the text to run.
  constructor(run) {
    const find = (selector) => document.querySelector(selector);
    this.area = find("#source");
    this.numbers = find("#text .numbers");
    this.mark = find("#text .mark");
    this.fault = find("#fault");
    this.place = null;
    this.lines = 0;
    this.area.addEventListener("input", () => {
      this.clear();
      this.number();
    });
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        run(this.text);
      }
    });
    this.fault.addEventListener("click", () => this.go());
    find("#run").addEventListener("click", () => run(this.text));
    new ResizeObserver(() => this.follow()).observe(this.area);
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    if (text === this.area.value) return;
    this.area.value = text;
    this.area.scrollTop = 0;
    this.clear();
    this.number();
  }

  clear() {
    this.place = null;
    this.fault.hidden = this.mark.hidden = true;
    this.number();
  }

  // Shows an error at its line and column, which count from 1.
  complain({ text, line, column, hint }) {
    this.place = line === null ? null : { line, column };
    const where = this.place ? `line ${line}, column ${column}: ` : "";
    this.fault.textContent = where + text + (hint ? `\n${hint}` : "");
    this.fault.hidden = false;
    this.number();
    if (this.place) {
      // Into sight, but the cursor stays where the user has it.
      const top = (line - 1) * this.row();
      if (top < this.area.scrollTop || top > this.area.scrollTop + this.area.clientHeight - 2 * this.row()) {
        this.area.scrollTop = Math.max(0, top - this.area.clientHeight / 3);
      }
    }
    this.follow();
  }

  // Puts the cursor where the error is.
  go() {
    if (!this.place) return;
    const lines = this.text.split("\n");
    const start = lines.slice(0, this.place.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
    // Columns count characters, of which some are two units of a string.
    const before = [...(lines[this.place.line - 1] ?? "")].slice(0, this.place.column - 1).join("").length;
    this.area.focus();
    this.area.setSelectionRange(start + before, start + before + 1);
  }

  row() {
    return parseFloat(getComputedStyle(this.area).lineHeight);
  }

  number() {
    const count = this.text.split("\n").length;
    const marked = this.place?.line;
    if (count === this.lines && marked === this.marked) return;
    [this.lines, this.marked] = [count, marked];
    const rows = Array.from({ length: count }, (_, row) => {
      if (row + 1 !== marked) return `${row + 1}\n`;
      const bold = document.createElement("b");
      bold.textContent = row + 1;
      return bold;
    });
    const parts = rows.flatMap((row) => (typeof row === "string" ? [row] : [row, "\n"]));
    this.numbers.replaceChildren(...parts);
  }

  follow() {
    this.numbers.scrollTop = this.area.scrollTop;
    this.mark.hidden = this.place === null;
    if (this.place) {
      const { line, column } = this.place;
      this.mark.style.top = `${8 + (line - 1) * this.row() - this.area.scrollTop}px`;
      this.mark.style.left = `calc(8px + ${column - 1}ch - ${this.area.scrollLeft}px)`;
    }
  }
}
