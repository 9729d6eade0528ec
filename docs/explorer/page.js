// The page: fields, what the bank model answers to them, and the tour.
const element = (id) => document.getElementById(id);
const tour = JSON.parse(element("tour-data").textContent);
const fields = element("fields").elements;
const texts = ["expression", "shared", "if", "block"];
const generations = new Map(); // "90" or "35:8" -> what the list of devices calls it

const words = () => null; // the report's pictures name elements by it; here no array is known
const deviceName = (arch) => Number(arch) / 10;

// "s=2; row=tid / 8"
const letsOf = (text) => text.split(";").map((one) => one.trim()).filter((one) => one !== "");

function askedFields() {
  const asked = {expression: fields.expression.value, let: letsOf(fields.let.value)};
  for (const name of ["shared", "if", "block", "access", "width"]) asked[name] = fields[name].value.trim();
  return asked;
}

function deviceFields() {
  const [arch, mode] = fields.arch.value.split(":");
  return {arch, "bank-mode": mode || "4"};
}

async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// ---- Answers ------------------------------------------------------------------------------------

function verdictOf(request) {
  if (request.outside !== 0) return ["a lane leaves its array", "bad"];
  if (request.wavefronts === undefined) return ["misaligned: the GPU refuses this access", "bad"];
  return request.wavefronts > request.ideal ? [request.degree > 1 ? request.degree + "-way conflicts" : "conflicts", "bad"]
    : ["no conflicts", "good"];
}

function showVerdict(requests) {
  const request = requests[0];
  if (!request) {
    element("verdict").replaceChildren("No lane takes part.");
    return;
  }
  const [text, kind] = verdictOf(request);
  const counts = request.wavefronts === undefined ? ""
    : plural(request.wavefronts, "wavefront", "wavefronts") + ", ideal " + request.ideal + ": ";
  const more = requests.length > 1 ? " (" + warpsText(request) + "; others differ)" : "";
  element("verdict").replaceChildren(counts, make("span", {class: kind}, text), more);
}

const warpsText = (request) => "warp" + (request.warps.length > 1 ? "s " : " ") + request.warps.join(", ");

function figureOf(request) {
  const picture = request.picture, told = make("output", {class: "told", "aria-live": "polite"},
    "A number is the wavefront that serves the lane; below each bank stands in how many of them it is read or "
    + "written. Hover over a lane, or go to the picture and use arrow keys.");
  if (!picture) return make("p", {class: "dim"}, "There is nothing to draw: " + verdictOf(request)[0] + ".");
  const row = make("output", {}), slider = make("input", {type: "range", min: 0, max: picture.rows, value: 0,
    "aria-label": "Wavefront; 0 shows all"});
  const elements = cellsOf(picture, 0).map(() => null);
  const drawn = drawPicture(picture, 0, elements, warpsText(request), (index) => {
    drawn.mark(index);
    told.textContent = drawn.labels[index];
  });
  function step() {
    const at = Number(slider.value);
    row.textContent = at === 0 ? "all" : at + " of " + picture.rows;
    slider.setAttribute("aria-valuetext", row.textContent);
    drawn.show(at);
  }
  slider.addEventListener("input", step);
  step();
  return make("figure", {}, make("figcaption", {}, make("strong", {}, warpsText(request)), ": " + pictureTitle(picture)
      + ", " + plural(picture.phases.length, "phase", "phases")),
    make("div", {class: "picker"}, make("label", {}, "Wavefront ", slider), row), drawn.node, told,
    laneTable(picture, drawn.cells, elements));
}

const MOST_FIGURES = 4;
function showPictures(requests) {
  element("picture").replaceChildren(marksLegend(), make("div", {class: "pictures"},
    requests.slice(0, MOST_FIGURES).map(figureOf)), requests.length > MOST_FIGURES
    ? make("p", {class: "dim"}, "... and " + (requests.length - MOST_FIGURES) + " more requests that differ; choose a warp.") : "");
}

function generationRow(request, mode) {
  const key = request.arch.slice(3) + (mode === "8" ? ":8" : ""), known = generations.has(key);
  const numbers = ["wavefronts", "ideal"].map((name) =>
    make("td", {class: "number"}, request[name] === undefined ? "-" : String(request[name])));
  const [text, kind] = verdictOf(request), isChosen = fields.arch.value === key;
  const choose = make("button", {type: "button", disabled: !known, "aria-pressed": String(isChosen), onclick: () => {
    fields.arch.value = key;
    answer().then(() => element("table").querySelector("tr.chosen button").focus());
  }}, generations.get(key) || key);
  return make("tr", {class: isChosen ? "chosen" : null}, make("td", {}, choose), make("td", {}, request.warps.join(", ")),
    ...numbers, make("td", {class: kind}, text.replace("no conflicts", "none").replace(/-way conflicts$/, "-way")),
    make("td", {class: "dim"}, request.certainty));
}

function showGenerations(rows) {
  const heads = ["device", "warps", "#wavefronts", "#ideal", "conflicts", "rule"];
  element("table").replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, heads.map((head) =>
    make("th", {scope: "col", class: head.startsWith("#") ? "number" : null}, head.replace("#", ""))))),
  make("tbody", {}, rows)));
}

// The warps of the block, as many as the answer has.
function fillWarps(requests) {
  const all = requests.flatMap((request) => request.warps).sort((a, b) => a - b), chosen = fields.warp.value;
  if (chosen !== "") return;
  fields.warp.replaceChildren(make("option", {value: ""}, "all"),
    ...all.map((warp) => make("option", {value: warp}, String(warp))));
}

// ---- Asking -------------------------------------------------------------------------------------

let explorer = null, questions = 0;

async function answer() {
  const mine = ++questions, asked = askedFields(), device = deviceFields();
  const chosen = await explorer.ask({...asked, ...device, warp: fields.warp.value, pictures: 1});
  const plain = chosen.error ? chosen : await explorer.ask(asked);
  const eight = chosen.error ? chosen : await explorer.ask({...asked, arch: 35, "bank-mode": 8});
  if (mine !== questions) return; // somebody typed on
  const problem = chosen.error || plain.error || eight.error;
  element("error").hidden = !problem;
  element("error").textContent = problem || "";
  for (const id of ["verdict", "picture", "table"]) if (problem) element(id).replaceChildren();
  if (problem) return;
  showVerdict(chosen.requests);
  showPictures(chosen.requests);
  fillWarps(chosen.requests);
  const rows = plain.requests.map((request) => [request, "4"]);
  const at = rows.findLastIndex(([request]) => request.arch.startsWith("sm_3")) + 1;
  rows.splice(at, 0, ...eight.requests.map((request) => [request, "8"]));
  showGenerations(rows.map(([request, mode]) => generationRow(request, mode)));
}

// ---- The tour -----------------------------------------------------------------------------------

function load(wanted) {
  for (const name of texts) fields[name].value = wanted[name] || "";
  fields.let.value = wanted.let || "";
  fields.access.value = wanted.access || "load";
  fields.width.value = wanted.width || "";
  fields.warp.value = "";
  fields.arch.value = deviceKey(wanted);
  return answer();
}

// The list of devices has one of each generation.
function deviceKey(wanted) {
  const mode = wanted["bank-mode"] === "8" ? ":8" : "";
  return [...generations.keys()].find((key) => key.split(":")[0].slice(0, -1) === wanted.arch.slice(0, -1)
    && key.endsWith(mode) && (mode !== "" || !key.includes(":"))) || "90";
}

// Of a step's own question nothing is shown that says the answer, before somebody asks for it.
function hideAnswer(isHidden) {
  element("guess").hidden = !isHidden;
  for (const id of ["verdict", "banks", "generations"]) element(id).hidden = isHidden;
}

// A claim says its numbers when it is shown: before, they are to be guessed.
function showClaim(step, claim) {
  const told = make("output", {});
  function show() {
    told.replaceChildren(": ", make("strong", {}, plural(claim.wavefronts, "wavefront", "wavefronts")), ", ideal " + claim.ideal);
    hideAnswer(false);
    load({...step.fields, ...claim.change});
  }
  return make("li", {}, make("button", {type: "button", onclick: show, "aria-label": "Show: " + claim.say}, "Show"),
    make("span", {}, claim.say, told));
}

function showStep(index) {
  const step = tour[index];
  element("step").value = index;
  element("back").disabled = index === 0;
  element("next").disabled = index === tour.length - 1;
  element("lesson").replaceChildren(make("p", {}, step.text), make("p", {class: "dim"}, "Guess first, then look:"),
    make("ul", {}, step.claims.map((claim) => showClaim(step, claim))),
    make("p", {}, make("strong", {}, "Try: "), step.try));
  hideAnswer(true);
  return load(step.fields);
}

async function begin() {
  explorer = await openExplorer(await unpack(element("module").textContent));
  const all = await explorer.ask({expression: "a[tid]", shared: "float a[1024]"});
  for (const request of all.requests) {
    const arch = request.arch.slice(3);
    generations.set(arch, deviceName(arch).toFixed(1));
    if (/^3.$/.test(arch)) generations.set("35:8", "3.5, 8-byte banks");
  }
  fields.arch.replaceChildren(...[...generations].map(([value, name]) => make("option", {value}, name)));
  fillWarps([]);
  element("step").replaceChildren(...tour.map((step, i) => make("option", {value: i}, i + 1 + ". " + step.title)));
  element("step").addEventListener("change", () => showStep(Number(element("step").value)));
  element("back").addEventListener("click", () => showStep(Number(element("step").value) - 1));
  element("next").addEventListener("click", () => showStep(Number(element("step").value) + 1));
  element("fields").addEventListener("input", (event) => {
    if (event.target !== fields.warp) fields.warp.value = "";
    hideAnswer(false);
    answer();
  });
  element("reveal").addEventListener("click", () => hideAnswer(false));
  element("fields").addEventListener("submit", (event) => event.preventDefault());
  await showStep(0);
  document.body.dataset.ready = "yes";
}

begin().catch((problem) => {
  element("error").hidden = false;
  element("error").textContent = "This browser cannot run the page: " + problem.message;
});
