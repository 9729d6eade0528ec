// Which padding frees a column from conflicts? Asks the bank model, without bankrun.
//   node docs/explorer/example.mjs [bankrun.wasm]      (made by make explorer)
import {readFileSync} from "node:fs";
import {openExplorer} from "./bankrun.mjs";

const path = process.argv[2] || new URL("bankrun.wasm", import.meta.url);
const explorer = await openExplorer(readFileSync(path));
for (let pad = 0; pad < 4; pad++) {
  const shared = `float tile[32][${32 + pad}]`;
  const answer = await explorer.ask({expression: "tile[threadIdx.x][0]", shared, arch: 90});
  if (answer.error) throw new Error(answer.error);
  const {wavefronts, ideal} = answer.requests[0];
  console.log(`${shared}: ${wavefronts} wavefronts, ideal ${ideal}`);
}
