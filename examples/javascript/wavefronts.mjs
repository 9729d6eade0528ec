// How many wavefronts does an index expression take on each generation of devices?
//   node examples/javascript/wavefronts.mjs MODULE EXPRESSION DECLARATION [BLOCK]
//   node examples/javascript/wavefronts.mjs bankrun.wasm 'tile[threadIdx.x][threadIdx.y]' 'float tile[32][32]' 32x8
import {readFileSync} from "node:fs";
import {openExplorer} from "../../docs/explorer/bankrun.mjs";

const [path, expression, shared, block = "32"] = process.argv.slice(2);
if (shared === undefined) {
  console.error("usage: wavefronts.mjs MODULE EXPRESSION DECLARATION [BLOCK]");
  process.exit(2);
}
const explorer = await openExplorer(readFileSync(path));
const answer = await explorer.ask({expression, shared, block});
if (answer.error) {
  process.stderr.write(answer.error);
  process.exit(2);
}
for (const {arch, warps, wavefronts, ideal, certainty} of answer.requests)
  console.log(`${arch}, warps ${warps.join(" ")}: `
    + (wavefronts === undefined ? certainty : `${wavefronts} wavefronts, ideal ${ideal} (${certainty})`));
