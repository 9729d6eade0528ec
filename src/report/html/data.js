// The profile as the page has it: what bankrun counted and found, put together by source line.
const page = JSON.parse(document.getElementById("profile").textContent);

const words = (number) => (number === null || number === undefined ? null : page.texts[number]);
const excessOf = (counts) => Math.max(0, counts[1] - counts[2]);
const times = (value) => value.toFixed(value < 10 ? 1 : 0);

// Never says 0 or 100 of what is not.
function percent(part, whole) {
  const value = whole ? (100 * part) / whole : 0;
  if (part > 0 && value < 1) return "<1 %";
  if (part < whole && value > 99) return ">99 %";
  return Math.round(value) + " %";
}

for (const launch of page.launches)
  if (launch.worth !== null && launch.worth.gain === null) launch.worth = null;

// Of a long list as many as anybody reads, and how many are left out.
const MOST_SHOWN = 100;
const firstOf = (list) => list.slice(0, MOST_SHOWN);
const restOf = (list, what, more = 0) => (list.length + more > MOST_SHOWN || more > 0
  ? make("p", {class: "dim"}, "... and " + count(Math.max(0, list.length - MOST_SHOWN) + more) + " more " + what) : null);

// ---- Names of files: without the folders that all of them are in ------------------------------

function shortNames(names) {
  const folders = names.map((name) => name.split("/").slice(0, -1));
  let shared = 0;
  while (folders.length && folders.every((f) => shared < f.length && f[shared] === folders[0][shared]))
    shared++;
  return names.map((name) => name.split("/").slice(shared).join("/"));
}
const fileNames = shortNames(page.files.map((file) => file.name || "?"));

const sourceOf = page.files.map((file) => new Map(file.source.map((row) => [row[0], row])));
function codeAt(file, line) {
  const row = file === null ? undefined : sourceOf[file].get(line);
  return row ? row[1].trim() : "";
}

// ---- Lines --------------------------------------------------------------------------------------

function placeName(file, line) {
  return file === null ? "no known line" : fileNames[file] + ":" + line;
}

function verdictOf(line) {
  const shared = line.accesses.filter((access) => access.space === 0);
  if (line.excess > 0) return [line.degree > 1 ? line.degree + "-way conflicts" : "conflicts", "bad"];
  if (shared.length > 0)
    return line.observed ? ["no conflicts", "good"] : ["proved conflict-free", "good"];
  if (line.global[0] > 0)
    return [percent(line.global[2], line.global[1]) + " efficient", line.waste > 0 ? "warn" : "good"];
  return ["not counted", "dim"];
}

function fillLine(line, rank) {
  line.shared = line.shared || [0, 0, 0];
  line.global = line.global || [0, 0, 0];
  for (const access of line.accesses) access.space = access.global ? 1 : 0;
  line.rank = rank;
  line.findings = [];
  line.name = placeName(line.file, line.line);
  line.code = codeAt(line.file, line.line);
  line.excess = excessOf(line.shared);
  line.waste = excessOf(line.global);
  line.degree = line.degree || 0;
  line.more = line.more || 0;
  line.kernels = new Set(line.sums.map((sum) => sum[0]));
  line.verdict = verdictOf(line);
  line.id = line.file === null ? "L?" + rank : "L=" + line.name;
  return line;
}

const lines = page.lines.map(fillLine);
const lineAt = new Map(lines.filter((line) => line.file !== null)
  .map((line) => [line.file + ":" + line.line, line]));

// A line that only a finding or a fault is about.
function noteLine(file, line) {
  const key = file + ":" + line;
  if (!lineAt.has(key)) {
    const fresh = {file, line, accesses: [], sums: []};
    lines.push(fillLine(fresh, lines.length));
    lineAt.set(key, fresh);
  }
  return lineAt.get(key);
}

for (const finding of page.findings) {
  const about = new Set(finding.places.filter((place) => place.file !== null)
    .map((place) => noteLine(place.file, place.line)));
  for (const line of about) line.findings.push(finding);
}

for (const problem of page.problems)
  if (problem.file !== null) noteLine(problem.file, problem.line).failed = true;

const lineOfId = new Map(lines.map((line) => [line.id, line]));
const linkTo = (line) => "#" + encodeURIComponent(line.id).replaceAll("%3D", "=").replaceAll("%2F", "/").replaceAll("%3A", ":");
const mostWavefronts = lines.reduce((most, line) => Math.max(most, line.shared[1]), 1);
const mostSectors = lines.reduce((most, line) => Math.max(most, line.global[1]), 1);

for (const line of lines)
  line.searched = [line.name, line.code, ...[...line.kernels].map(words),
    ...[...new Set(line.accesses.map((access) => access.access))].map(words),
    ...line.findings.map((finding) => words(finding.message))].join("\n").toLowerCase();

// Two lengths beside each other: what is needed, and what is in vain.
function bar(counts, most) {
  const needed = make("span", {class: "ideal"}), vain = make("span", {class: "excess"});
  needed.style.width = (100 * Math.min(counts[1], counts[2])) / most + "%";
  vain.style.width = (100 * excessOf(counts)) / most + "%";
  return make("span", {class: "bar", "aria-hidden": "true"}, needed, vain);
}
