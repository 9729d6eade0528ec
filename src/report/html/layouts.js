// The worst request in any other layout of its array: sliders for the layout's numbers, and what the
// bank model says, which is here as a WebAssembly module (src/explorer/redraw.h). Nothing of it is
// computed a second time in this script.
const KINDS = ["as it is", "pad", "swizzle", "mirror"];
const REFUSED = ["", "These numbers are no layout: two elements would lie at one place.",
  "Some elements of the array would lie outside of it.", "A lane accesses something else than the array.",
  "The bytes of a lane would be torn apart, or lose their alignment.", "The bank model has no such request."];
const LANES = 32;

async function openModule(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const {instance} = await WebAssembly.instantiate(await new Response(stream).arrayBuffer(), {});
  instance.exports._initialize();
  return instance.exports;
}

// What the module has to say, in the form of a recorded picture; offsets are from shared memory's start.
function pictureOf(answer) {
  const [, wavefronts, ideal, , banks, rows, active, count] = answer;
  const at = (table) => Array.from(answer.slice(8 + LANES * table, 8 + LANES * table + active), (value) => [value]);
  const perWord = (first) => Array.from({length: count}, (_, word) => at(first + word));
  return {banks, rows, wavefronts, ideal, lane: at(0), offset: at(1), row: at(2), bank: perWord(3), mark: perWord(7)};
}

// The worst request of an access in a layout: its picture, or why there is none.
function redraw(module, access, layout) {
  const cells = cellsOf(page.pictures[access.picture], access.offset).filter((cell) => cell.word === 0);
  const [kind, width, matrices, element, start, bytes] = access.request;
  const offsets = new Array(LANES).fill(0);
  let mask = 0;
  for (const cell of cells) {
    offsets[cell.lane] = cell.offset;
    mask |= 1 << cell.lane;
  }
  const question = [page.launches[access.launch].arch, kind, width, matrices, mask, start, bytes, element,
    KINDS.indexOf(layout.kind), layout.row, layout.pad, layout.bits, layout.base, layout.shift, ...offsets];
  new Uint32Array(module.memory.buffer, module.redraw_question(), question.length).set(question);
  const answer = new Uint32Array(module.memory.buffer, module.redraw(), 8 + 11 * LANES);
  return answer[0] === 0 ? {picture: pictureOf(answer)} : {refused: REFUSED[answer[0]]};
}

const layoutOf = ([kind, row, pad, bits, base, shift]) => ({kind, row, pad, bits, base, shift});

// Where sliders begin that no cure sets: rows of one round of the banks, and a swizzle of words.
function plainLayout(kind, element) {
  const log = Math.log2(element), base = Math.max(0, 2 - log), bits = Math.min(5, 7 - log);
  return {kind, row: Math.max(1, 128 / element), pad: 1, bits, base, shift: base + bits};
}

function indexOf(layout) {
  const moved = (amount, by) => (by > 0 ? amount + " << " + by : amount);
  if (layout.kind === "pad")
    return layout.pad === 0 ? "i" : "i + i / " + layout.row + (layout.pad > 1 ? " * " + layout.pad : "");
  if (layout.kind === "swizzle")
    return layout.bits === 0 ? "i" : "i ^ " + moved("(i >> " + layout.shift + " & " + (2 ** layout.bits - 1) + ")", layout.base);
  return "i ^ (i >> " + layout.shift + " & 1) * " + 2 ** layout.base * (2 ** layout.bits - 1);
}

// ---- Sliders ------------------------------------------------------------------------------------

function slider(name, least, most, oninput) {
  const shown = make("output", {}), input = make("input", {type: "range", min: least, max: most, oninput});
  return {node: make("label", {}, name + " ", input, " ", shown), input,
    set(value) {
      input.value = value;
      shown.textContent = input.value;
    }};
}

// Sliders of one kind of layout, which call changed(layout) when somebody moves them.
function layoutSliders(element, changed) {
  let layout = null;
  const row = make("input", {type: "number", min: 1, max: 65536, oninput: () => {
    const value = Math.floor(Number(row.value));
    if (value >= 1 && value <= 65536) move({row: value});
  }});
  const rowLabel = make("label", {}, "Elements in a row ", row);
  const pitch = slider("Row pitch", 1, 2, () => move({pad: Number(pitch.input.value) - layout.row}));
  const of = (name, key, most) => slider(name, 0, most, (event) => move({[key]: Number(event.target.value)}));
  const swizzle = {bits: of("Bits", "bits", 7), base: of("moved to bit", "base", 7), shift: of("taken from bit", "shift", 15)};
  const node = make("fieldset", {class: "sliders picker"}, make("legend", {}, "Another layout, for this request alone"),
    rowLabel, pitch.node, Object.values(swizzle).map((one) => one.node));
  function show(wanted) {
    layout = wanted;
    const isPad = layout.kind === "pad";
    for (const label of [rowLabel, pitch.node]) label.hidden = !isPad;
    for (const one of Object.values(swizzle)) one.node.hidden = isPad;
    pitch.input.min = layout.row;
    pitch.input.max = layout.row + Math.max(1, 128 / element, layout.pad);
    if (document.activeElement !== row) row.value = layout.row;
    pitch.set(layout.row + layout.pad);
    for (const [key, one] of Object.entries(swizzle)) one.set(layout[key]);
  }
  function move(change) {
    show({...layout, ...change});
    changed(layout);
  }
  return {node, show};
}

const moduleText = document.getElementById("module");
const module = moduleText ? openModule(moduleText.textContent).catch(() => null) : Promise.resolve(null);
