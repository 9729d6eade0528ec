// A request on its banks: a row for each lane, a column for each bank, and in a cell the wavefront
// that serves it. Which one that is, which bank, and what collides is the bank model's answer.
const COLLIDES = 1, SHARES = 2;
const CELL = 14, LEFT = 24, TOP = 22;

function svg(tag, traits, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(traits)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// [{lane, offset, row, bank, mark, word}], a cell for each word of each lane.
function cellsOf(picture, first) {
  const lanes = numbersOf(picture.lane), offsets = numbersOf(picture.offset), rows = numbersOf(picture.row);
  const cells = [];
  picture.bank.forEach((runs, word) => {
    const banks = numbersOf(runs), marks = numbersOf(picture.mark[word]);
    lanes.forEach((lane, i) => cells.push(
      {lane, word, offset: first + offsets[i] + 4 * word, row: rows[i], bank: banks[i], mark: marks[i]}));
  });
  return cells.sort((a, b) => a.lane - b.lane || a.word - b.word);
}

const markWords = ["alone in its bank", "collides: other words of this bank are served apart",
  "shares its word with other lanes", "shares its word, and collides with other words of this bank"];

// "tile[1][0]" as the source declares the array; else "tile[33]", by what lanes access.
function declaredName(access, bytes) {
  const [size, ...extents] = access.elements;
  let index = Math.floor(bytes / size), below = extents.slice(1).reduce((a, b) => a * b, 1), name = words(access.array);
  extents.forEach((_, i) => {
    name += "[" + Math.floor(index / below) + "]";
    index %= below;
    below /= extents[i + 1] || 1;
  });
  return name + (bytes % size ? "+" + bytes % size : "");
}

// The element that the lane asks for, whatever layout the array has.
function elementName(access, offset) {
  if (access.array === undefined || access.array_offset === undefined) return null;
  const bytes = offset - access.array_offset;
  if (access.elements && bytes >= 0) return declaredName(access, bytes);
  return bytes >= 0 && bytes % access.width === 0
    ? words(access.array) + "[" + bytes / access.width + "]" : null;
}

function tellCell(cell, picture, element) {
  return "lane " + cell.lane + ": byte " + cell.offset + (element ? ", " + element : "") + ", bank "
    + cell.bank + ", wavefront " + (cell.row + 1) + " of " + picture.rows + ", " + markWords[cell.mark];
}

function drawAxes(banks) {
  const width = banks * CELL, height = 32 * CELL, parts = [];
  let path = "";
  for (let i = 0; i <= banks; i++) path += "M" + (LEFT + i * CELL) + " " + TOP + "v" + height;
  for (let i = 0; i <= 32; i++) path += "M" + LEFT + " " + (TOP + i * CELL) + "h" + width;
  parts.push(svg("path", {d: path, class: "lines"}));
  for (let i = 0; i < banks; i += 4)
    parts.push(svg("text", {x: LEFT + (i + 0.5) * CELL, y: TOP - 6, class: "axis"}, String(i)));
  for (let i = 0; i < 32; i += 4)
    parts.push(svg("text", {x: LEFT - 10, y: TOP + (i + 0.5) * CELL, class: "axis"}, String(i)));
  parts.push(svg("text", {x: LEFT + width / 2, y: 6, class: "axis"}, "bank"));
  parts.push(svg("text", {x: 10, y: TOP - 6, class: "axis"}, "lane"));
  return svg("g", {"aria-hidden": "true"}, ...parts);
}

// Below each bank: in how many wavefronts it serves somebody.
function drawSums(picture, cells) {
  const rows = Array.from({length: picture.banks}, () => new Set());
  for (const cell of cells) rows[cell.bank].add(cell.row);
  const y = TOP + 32 * CELL + 8;
  return svg("g", {"aria-hidden": "true"}, ...rows.map((set, bank) =>
    svg("text", {x: LEFT + (bank + 0.5) * CELL, y, class: "sum" + (set.size > 1 ? " many" : "")}, set.size ? String(set.size) : ".")));
}

function drawCell(cell, label, id) {
  const kind = (cell.mark & COLLIDES ? " collides" : "") + (cell.mark & SHARES ? " shares" : "");
  const x = LEFT + cell.bank * CELL + 1, y = TOP + cell.lane * CELL + 1, size = CELL - 2;
  const round = cell.mark & SHARES ? size / 2 : cell.mark & COLLIDES ? 0 : 3;
  const box = svg("rect", {x, y, width: size, height: size, rx: round});
  const text = svg("text", {x: x + size / 2, y: y + size / 2 + 0.5}, String(cell.row + 1));
  const group = svg("g", {class: "cell" + kind, role: "option", "aria-label": label, "aria-selected": "false", id},
    box, text);
  group.cell = cell;
  return group;
}

let pictureCount = 0;

// first: the offset of its first lane. elements: what each cell's lane asks for. looked: is told the
// number of the cell that somebody looks at; mark() points it out.
function drawPicture(picture, first, elements, title, looked) {
  const cells = cellsOf(picture, first), name = "picture" + pictureCount++;
  const labels = cells.map((cell, i) => tellCell(cell, picture, elements[i]));
  const groups = cells.map((cell, i) => drawCell(cell, labels[i], name + "-" + i));
  const drawing = svg("svg", {viewBox: "0 0 " + (LEFT + picture.banks * CELL + 2) + " " + (TOP + 32 * CELL + 16),
    class: "banks", role: "listbox", tabindex: "0",
    "aria-label": title + ": lanes on banks. Arrow keys go from lane to lane."}, drawAxes(picture.banks), ...groups,
    drawSums(picture, cells));
  let here = -1;
  function mark(index) {
    if (here >= 0) {
      groups[here].classList.remove("here");
      groups[here].setAttribute("aria-selected", "false");
    }
    here = index;
    groups[here].classList.add("here");
    groups[here].setAttribute("aria-selected", "true");
    drawing.setAttribute("aria-activedescendant", groups[here].id);
  }
  drawing.addEventListener("pointermove", (event) => {
    const group = event.target.closest(".cell");
    if (group && groups.indexOf(group) !== here) looked(groups.indexOf(group));
  });
  drawing.addEventListener("focus", () => looked(Math.max(here, 0)));
  drawing.addEventListener("keydown", (event) => {
    const step = {ArrowDown: picture.bank.length, ArrowUp: -picture.bank.length, ArrowRight: 1, ArrowLeft: -1}[event.key];
    const to = {Home: 0, End: groups.length - 1}[event.key] ?? (step === undefined ? undefined : here + step);
    if (to === undefined) return;
    event.preventDefault();
    looked(Math.max(0, Math.min(groups.length - 1, to)));
  });
  // Row 0: all of them.
  function show(row) {
    for (const group of groups)
      group.classList.toggle("other", row > 0 && group.cell.row !== row - 1);
  }
  return {node: drawing, title, labels, cells, mark, show};
}

function pictureTitle(picture) {
  return plural(picture.wavefronts, "wavefront", "wavefronts") + ", ideal " + count(picture.ideal)
    + (picture.rows !== picture.wavefronts ? " (" + picture.rows + " of them, its first pass, are drawn)" : "");
}

const marksLegend = () => make("ul", {class: "marks dim"},
  [["", "alone in its bank"], ["collides", "collides"], ["shares", "shares a word"], ["collides shares", "both"]]
    .map(([kind, name]) => make("li", {}, make("span", {class: "mark " + kind}), name)));

// The same as a table, for those who would rather read it.
function laneTable(picture, cells, elements) {
  const body = make("tbody");
  cells.forEach((cell, i) => body.append(make("tr", {},
    make("td", {class: "number"}, cell.lane), make("td", {class: "number"}, cell.offset),
    make("td", {}, elements[i] || "-"), make("td", {class: "number"}, cell.bank),
    make("td", {class: "number"}, cell.row + 1), make("td", {}, markWords[cell.mark]))));
  const head = ["lane", "byte", "element", "bank", "wavefront", ""].map((word) => make("th", {scope: "col"}, word));
  const table = make("table", {}, make("thead", {}, make("tr", {}, head)), body);
  return make("details", {}, make("summary", {}, "Each lane as a table"), make("div", {class: "wide"}, table));
}
