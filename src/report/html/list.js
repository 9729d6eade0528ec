// A list of any length, of which only the rows in sight are there. One row at a time is in the
// order of Tab; arrow keys move on from it.
class LongList {
  constructor(container, variable, render) {
    this.container = container;
    this.variable = variable;
    this.render = render; // (item, index) => element
    this.items = [];
    this.rows = new Map(); // index => element
    this.at = 0; // the row that Tab comes to
    this.inner = make("div", {role: "presentation"});
    container.replaceChildren(this.inner);
    container.addEventListener("scroll", () => this.draw(), {passive: true});
    container.addEventListener("keydown", (event) => this.pressed(event));
    container.addEventListener("focusin", (event) => this.focused(event));
    addEventListener("resize", () => this.draw());
    addEventListener("beforeprint", () => this.drawAll());
    addEventListener("afterprint", () => this.set(this.items, this.at));
  }

  get height() {
    const root = getComputedStyle(document.documentElement);
    return parseFloat(root.getPropertyValue(this.variable)) * parseFloat(root.fontSize);
  }

  set(items, at) {
    this.items = items;
    this.rows.clear();
    this.inner.replaceChildren();
    this.inner.style.height = items.length * this.height + "px";
    this.at = Math.max(0, Math.min(at || 0, items.length - 1));
    if (items.length === 0) this.inner.append(make("p", {class: "empty"}, "Nothing is like that."));
    this.draw();
  }

  draw() {
    const height = this.height, margin = 8;
    const first = Math.max(0, Math.floor(this.container.scrollTop / height) - margin);
    const last = Math.min(this.items.length - 1,
      Math.ceil((this.container.scrollTop + this.container.clientHeight) / height) + margin);
    for (const [index, row] of this.rows)
      if ((index < first || index > last) && index !== this.at && !row.contains(document.activeElement)) {
        row.remove();
        this.rows.delete(index);
      }
    for (let index = first; index <= last; index++) this.need(index, height);
    if (this.items.length > 0) this.need(this.at, height);
  }

  need(index, height) {
    if (this.rows.has(index)) return this.rows.get(index);
    const content = this.render(this.items[index], index);
    const row = make("div", {class: "item", role: "listitem", "aria-setsize": this.items.length,
      "aria-posinset": index + 1}, content);
    row.style.top = index * height + "px";
    row.style.height = height + "px";
    if (content.tagName === "A") content.tabIndex = index === this.at ? 0 : -1;
    content.dataset.index = index;
    const after = [...this.inner.children].find((other) => Number(other.firstChild.dataset?.index) > index);
    this.inner.insertBefore(row, after || null);
    this.rows.set(index, row);
    return row;
  }

  focused(event) {
    const link = event.target.closest("a[data-index]");
    if (link) this.mark(Number(link.dataset.index));
  }

  mark(index) {
    const before = this.rows.get(this.at);
    if (before && before.firstChild.tagName === "A") before.firstChild.tabIndex = -1;
    this.at = index;
    const now = this.rows.get(index);
    if (now && now.firstChild.tagName === "A") now.firstChild.tabIndex = 0;
  }

  scrollTo(index) {
    const height = this.height, top = index * height, box = this.container;
    if (top < box.scrollTop) box.scrollTop = top;
    if (top + height > box.scrollTop + box.clientHeight)
      box.scrollTop = top + height - box.clientHeight;
    this.draw();
  }

  // The next row from `from` on, in steps of `step`, that something can be done with.
  next(from, step) {
    for (let i = from; i >= 0 && i < this.items.length; i += step)
      if (this.isLink ? this.isLink(this.items[i]) : true) return i;
    return this.at;
  }

  pressed(event) {
    const end = this.items.length - 1, inSight = Math.max(1, Math.floor(this.container.clientHeight / this.height));
    const moves = {ArrowDown: [this.at + 1, 1], ArrowUp: [this.at - 1, -1], Home: [0, 1], End: [end, -1],
      PageDown: [Math.min(end, this.at + inSight), -1], PageUp: [Math.max(0, this.at - inSight), 1]};
    const move = moves[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey || !event.target.closest("a")) return;
    event.preventDefault();
    const to = this.next(...move);
    this.scrollTo(to);
    this.mark(to);
    this.need(to, this.height).firstChild.focus({preventScroll: true});
  }

  // On paper all rows are there, as far as anybody reads them there.
  drawAll() {
    const most = Math.min(this.items.length, 300);
    for (let index = 0; index < most; index++) this.need(index, this.height);
    if (this.items.length > most)
      this.inner.append(make("p", {class: "empty"}, "... and " + count(this.items.length - most) + " more"));
  }
}
