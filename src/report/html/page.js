// The page: summary, ranked lines, sources, kernels, findings, and which line is chosen.
const byId = (id) => document.getElementById(id);

// ---- Summary ------------------------------------------------------------------------------------

function card(figure, style, ...texts) {
  return make("div", {class: "card"}, make("p", {class: "figure " + style}, figure),
    texts.map((text) => make("p", {}, text)));
}

function sharedCard() {
  const counts = page.totals.shared, excess = excessOf(counts);
  if (!page.counted) return card("Not counted", "dim", "This run looked for defects only.");
  if (counts[0] === 0) return card("No access", "dim", "No kernel accessed shared memory.");
  if (excess === 0) return card("No bank conflicts", "good", "All " + count(counts[1]) + " wavefronts of shared memory are needed.");
  return card(count(excess), "bad", "excess wavefronts of shared memory: " + percent(excess, counts[1])
    + " of " + count(counts[1]) + " are in vain.");
}

function worthCard() {
  const known = page.launches.filter((launch) => launch.worth !== null);
  if (known.length === 0) return null;
  const best = known.reduce((a, b) => (b.worth.gain > a.worth.gain ? b : a));
  if (!best.worth.worth)
    return card("Hardly faster", "dim", "What removing the conflicts would be worth on " + best.worth.machine
      + ", as the estimate goes: launches wait for other things.");
  return card(times(best.worth.gain) + " times as fast", "warn", "is " + words(best.kernel)
    + " without its conflicts, on " + best.worth.machine + ", as the estimate goes.");
}

function globalCard() {
  const counts = page.totals.global;
  if (counts[0] === 0) return null;
  return card(percent(counts[2], counts[1]) + " efficient", excessOf(counts) > 0 ? "warn" : "good",
    "global memory: " + count(counts[2]) + " of " + count(counts[1]) + " sectors are needed.");
}

function findingCard() {
  if (page.checks.length === 0) return null;
  const defects = page.findings.filter((finding) => !finding.note && finding.suppressed === null).length;
  return card(plural(defects, "finding", "findings"), defects ? "bad" : "good", "Looked on: " + page.checks.join(", ") + ".");
}

function problemItem(problem) {
  const line = problem.file === null ? undefined : lineAt.get(problem.file + ":" + problem.line);
  return make("li", {class: "words"}, problem.text + (problem.count > 1 ? " (" + count(problem.count) + " times)" : ""),
    line ? [" ", make("a", {href: linkTo(line), class: "place"}, line.name)] : null);
}

const FIRST_PROBLEMS = 5; // lines that conflict are what the first screen is for

// Of very many words those that take some two lines.
function commandWords() {
  let shown = 0, length = 0;
  while (shown < page.program.length && (shown < 2 || length < 160)) length += page.program[shown++].length + 1;
  const rest = page.program.length - shown;
  return page.program.slice(0, shown).join(" ") + (rest > 0 ? " ... and " + count(rest) + " more" : "");
}

function showSummary() {
  const program = commandWords();
  document.title = "bankrun: " + (program || "report");
  byId("program").textContent = "bankrun: " + program;
  byId("about").textContent = page.arch + (page.accesses ? ", " + page.accesses : "")
    + (page.only ? ", only " + page.only : "") + ", "
    + plural(page.launched, "launch", "launches") + " of " + plural(page.kernels.length, "kernel", "kernels");
  byId("made").textContent = "Made by bankrun " + page.bankrun + ". Numbers are those of bankrun's JSON profile.";
  byId("summary").append(...[sharedCard(), worthCard(), globalCard(), findingCard()].filter((one) => one !== null));
  byId("problems").hidden = page.problems.length === 0;
  byId("problems").querySelector("ul").append(...page.problems.slice(0, FIRST_PROBLEMS).map(problemItem));
  const others = page.problems.slice(FIRST_PROBLEMS);
  if (others.length > 0)
    byId("problems").append(make("details", {}, make("summary", {}, "... and " + count(others.length) + " more"),
      make("ul", {}, firstOf(others).map(problemItem)), restOf(others, "") || ""));
  byId("problems").append(restOf(page.problems, "of that kind") || "");
}

// ---- Ranked lines -------------------------------------------------------------------------------

const filters = [
  ["worth", "with excess or findings", (line) => line.excess > 0 || line.waste > 0 || line.findings.length > 0 || line.failed],
  ["shared", "bank conflicts", (line) => line.excess > 0],
  ["global", "sectors in vain", (line) => line.waste > 0],
  ["findings", "findings", (line) => line.findings.length > 0],
  ["all", "all lines", () => true],
];
const sorts = [
  ["excess", "excess wavefronts", null], // the order that they come in
  ["wavefronts", "wavefronts", (a, b) => b.shared[1] - a.shared[1]],
  ["degree", "degree", (a, b) => b.degree - a.degree],
  ["gain", "estimated gain", (a, b) => (b.gain || 0) - (a.gain || 0)],
  ["sectors", "sectors in vain", (a, b) => b.waste - a.waste],
  ["place", "place in the source", (a, b) => (a.file ?? Infinity) - (b.file ?? Infinity) || a.line - b.line],
];

let chosen = null;

function lineRow(line) {
  const flags = line.findings.length
    ? [" ", make("span", {class: "flag bad"}, plural(line.findings.length, "finding", "findings"))] : [];
  const shared = line.shared[0] > 0;
  const worth = shared ? count(line.excess) + " excess"
    : line.global[0] > 0 ? plural(line.waste, "excess sector", "excess sectors") : "";
  const verdict = line.gain && line.worth ? line.degree + "-way, " + times(line.gain) + "x as fast" : line.verdict[0];
  return make("a", {class: "row", href: linkTo(line), "aria-current": line === chosen ? "true" : null,
    title: [line.name, gainWords(line)].filter(Boolean).join("\n")},
    make("span", {class: "what"}, make("span", {class: "place"}, line.name, flags),
      make("span", {class: "code"}, line.code || [...line.kernels].map(words).join(", "))),
    bar(shared ? line.shared : line.global, shared ? mostWavefronts : mostSectors),
    make("span", {class: "worth"}, make("span", {class: line.excess || line.waste ? "bad" : "dim"}, worth),
      make("span", {class: line.verdict[1]}, verdict)));
}

const lineList = new LongList(byId("line-list"), "--row", lineRow);

function showLines() {
  const asked = byId("search").value.trim().toLowerCase().split(/\s+/);
  const keep = filters.find(([id]) => id === byId("filter").value)[2];
  const order = sorts.find(([id]) => id === byId("sort").value)[2];
  const kernel = byId("kernel").value === "" ? null : Number(byId("kernel").value);
  const found = lines.filter((line) => keep(line) && (kernel === null || line.kernels.has(kernel))
    && asked.every((word) => line.searched.includes(word)));
  if (order) found.sort((a, b) => order(a, b) || a.rank - b.rank);
  byId("line-list").scrollTop = 0;
  lineList.set(found, found.indexOf(chosen));
  byId("shown").textContent = count(found.length) + " of " + plural(lines.length, "line", "lines");
}

function setUpControls() {
  const option = ([id, name]) => make("option", {value: id}, name);
  byId("filter").append(...filters.map(option));
  byId("sort").append(...sorts.map(option));
  byId("kernel").append(option(["", "all kernels"]), ...page.kernels.map((row) => option([row.kernel, words(row.kernel)])));
  byId("filter").value = lines.some(filters[0][2]) ? "worth" : "all";
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("search").addEventListener("input", showLines);
  for (const id of ["filter", "sort", "kernel"]) byId(id).addEventListener("change", showLines);
}

// ---- Source -------------------------------------------------------------------------------------

function unitsOf(line) {
  const texts = [];
  if (line.shared[0]) texts.push(plural(line.shared[1], "wavefront", "wavefronts") + ", ideal " + count(line.shared[2]));
  if (line.global[0]) texts.push(plural(line.global[1], "sector", "sectors") + ", ideal " + count(line.global[2]));
  return texts.join("; ");
}

function sourceRow(row) {
  if (row.gap) return make("div", {class: "row gap dim"}, make("span", {class: "number"}, "..."));
  const line = row.known, tag = line ? "a" : "div";
  const parts = [make("span", {class: "number dim"}, row.number), make("span", {class: "code", title: row.text.length > 60 ? row.text.trim() : null}, row.text)];
  if (line) {
    const shared = line.shared[0] > 0, found = line.findings.length;
    parts.push(bar(shared ? line.shared : line.global, shared ? mostWavefronts : mostSectors),
      make("span", {class: "verdict " + (found ? "bad" : line.verdict[1])},
        found ? plural(found, "finding", "findings") : line.verdict[0]));
  }
  return make(tag, {class: "row", href: line ? linkTo(line) : null, title: line ? unitsOf(line) : null,
    "aria-current": line && line === chosen ? "true" : null}, parts);
}

const sourceList = new LongList(byId("source-list"), "--source-row", sourceRow);
sourceList.isLink = (row) => Boolean(row.known);

function showSource(at) {
  const file = Number(byId("file").value), rows = [];
  let last = 0;
  for (const [number, text] of page.files[file].source) {
    if (number !== last + 1) rows.push({gap: true});
    rows.push({number, text, known: lineAt.get(file + ":" + number)});
    last = number;
  }
  const wanted = rows.findIndex((row) => row.known && (at ? row.known === at : true));
  sourceList.set(rows, Math.max(0, wanted));
  sourceList.container.scrollTop = Math.max(0, (wanted - 6) * sourceList.height);
  sourceList.draw();
}

function setUpSource() {
  const readable = page.files.map((file, i) => i).filter((i) => page.files[i].source.length > 0);
  byId("source").hidden = readable.length === 0;
  if (readable.length === 0) return;
  byId("file").append(...readable.map((i) => make("option", {value: i}, fileNames[i])));
  byId("file").addEventListener("change", () => showSource(null));
  showSource(chosen);
}

// ---- Kernels, launches, findings ----------------------------------------------------------------

function showKernels() {
  const most = Math.max(...page.kernels.map((row) => row.wavefronts), 1);
  byId("kernel-table").append(table(null, ["kernel", "#launches", "#wavefronts", "#ideal", "#excess", ""],
    firstOf(page.kernels).map((row) => [...cells(words(row.kernel), row.launches, row.wavefronts, row.ideal,
      Math.max(0, row.wavefronts - row.ideal)),
      make("td", {class: "barred"}, bar([0, row.wavefronts, row.ideal], most))])),
    restOf(page.kernels, "kernels") || "");
  const shape = (triple) => triple.filter((n, i) => i === 0 || n > 1 || triple.slice(i).some((m) => m > 1)).join(" x ");
  const worth = (launch) => (launch.worth === null ? "-" : times(launch.worth.gain) + "x, bound by " + launch.worth.bottleneck);
  byId("launches").querySelector("div").append(table(null,
    ["#launch", "#launches alike", "kernel", "grid", "block", "#excess wavefronts", "sectors", "without conflicts", "fault"],
    firstOf(page.launches).map((launch) => cells(launch.first, launch.count, words(launch.kernel), shape(launch.grid),
      shape(launch.block), excessOf(launch.shared),
      launch.global[0] ? percent(launch.global[2], launch.global[1]) + " efficient" : "-", worth(launch), launch.fault || "-"))),
    restOf(firstOf(page.launches), "launches that differ", page.different_launches - firstOf(page.launches).length) || "");
}

function showFindings() {
  byId("findings").hidden = page.findings.length === 0;
  byId("findings").querySelector("ul").append(...firstOf(page.findings).map((finding) => findingItem(finding, null)));
  byId("findings").append(restOf(page.findings, "findings: each stands with its lines, too") || "");
}

// ---- Which line is chosen -----------------------------------------------------------------------

function choose(line) {
  chosen = line;
  showLine(line);
  for (const link of document.querySelectorAll("a.row")) {
    if (link.getAttribute("href") === linkTo(line)) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function followFragment() {
  let id = "";
  try {
    id = decodeURIComponent(location.hash.slice(1));
  } catch {
    return; // no fragment of ours
  }
  const line = lineOfId.get(id);
  if (!line) return;
  const opener = document.activeElement;
  choose(line);
  if (lineList.items.includes(line)) lineList.scrollTo(lineList.items.indexOf(line));
  const ofLine = (list) => list.contains(opener);
  if (line.file !== null && !ofLine(byId("source-list")) && page.files[line.file].source.length > 0) {
    byId("file").value = String(line.file);
    showSource(line);
  }
  if (byId("detail").getBoundingClientRect().top > innerHeight || byId("detail").getBoundingClientRect().bottom < 0)
    byId("detail").scrollIntoView();
}

showSummary();
setUpControls();
if (lines.length > 0) chosen = lines[0];
showLines();
setUpSource();
showKernels();
showFindings();
if (chosen) showLine(chosen);
addEventListener("hashchange", followFragment);
followFragment();
