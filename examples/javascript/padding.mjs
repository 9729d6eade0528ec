// Which padding frees a column from conflicts? Asks the bank model, without bankrun.
//   node examples/javascript/padding.mjs bankrun.wasm
import {readFileSync} from "node:fs";
import {openExplorer} from "../../docs/explorer/bankrun.mjs";

const explorer = await openExplorer(readFileSync(process.argv[2]));
for (let pad = 0; pad < 4; pad++) {
  const shared = `float tile[32][${32 + pad}]`;
  const answer = await explorer.ask({expression: "tile[threadIdx.x][0]", shared, arch: 90});
  if (answer.error) throw new Error(answer.error);
  const {wavefronts, ideal} = answer.requests[0];
  console.log(`${shared}: ${wavefronts} wavefronts, ideal ${ideal}`);
}
