// Asks a module the questions that come as JSON on stdin: explorer_answers.mjs bankrun.mjs MODULE
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

const {openExplorer} = await import(pathToFileURL(process.argv[2]).href);
const explorer = await openExplorer(readFileSync(process.argv[3]));
const answers = [];
for (const question of JSON.parse(readFileSync(0, "utf-8"))) answers.push(await explorer.ask(question));
console.log(JSON.stringify(answers));
