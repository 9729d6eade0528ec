// Asks two modules of the report's sliders the same random questions: redraw_answers.mjs KEPT FRESH
import {readFileSync} from "node:fs";

const open = async (path) => (await WebAssembly.instantiate(readFileSync(path), {})).instance.exports;
const modules = [await open(process.argv[2]), await open(process.argv[3])];
for (const module of modules) module._initialize();

let state = 1;
const random = (most) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % most;
const one = (list) => list[random(65536) % list.length];

function question() {
  const width = one([1, 2, 4, 8, 16]), element = one([1, 2, 4, 8, 3]), step = width * random(65), from = width * random(64);
  const lanes = Array.from({length: 32}, (_, lane) => from + (random(4) ? step * lane : width * random(2048)));
  return [one([10, 20, 35, 35 | 1 << 16, 52, 75, 80, 90, 100, 17]), random(16), width, one([0, 0, 0, 1, 4]), one([2 ** 32 - 1, 65535, 0]),
    one([0, 0, 256]), one([0, 0, 65536, 100]), element, random(5), random(66), random(5), random(8), random(6), random(12), ...lanes];
}

const statuses = new Map();
for (let n = 0; n < 20000; n++) {
  const asked = question();
  const [kept, fresh] = modules.map((module) => {
    new Uint32Array(module.memory.buffer, module.redraw_question(), asked.length).set(asked);
    return [...new Uint32Array(module.memory.buffer, module.redraw(), 8 + 11 * 32)];
  });
  statuses.set(kept[0], (statuses.get(kept[0]) || 0) + 1);
  if (kept.join() !== fresh.join()) {
    console.log(`the kept module answers otherwise: ${asked}: ${kept.slice(0, 8)}, and the fresh one ${fresh.slice(0, 8)}`);
    process.exit(1);
  }
}
console.log([...statuses].sort((a, b) => a[0] - b[0]).map(([status, many]) => `${status}:${many}`).join(" "));
