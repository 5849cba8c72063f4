// Writes dist/NOTICES.txt: the licences of the packages that the bundle holds.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const seen = new Map();
const waiting = ["vscode-languageclient"];
while (waiting.length > 0) {
  const name = waiting.pop();
  if (seen.has(name)) continue;
  const folder = `node_modules/${name}`;
  const { version, license, dependencies = {} } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[sc]e/i.test(one));
  seen.set(name, `${name} ${version} (${license})\n\n${file ? readFileSync(`${folder}/${file}`, "utf8").trim() : ""}\n`);
  waiting.push(...Object.keys(dependencies));
}
const texts = [...seen.keys()].sort().map((name) => seen.get(name));
writeFileSync("dist/NOTICES.txt", texts.join(`\n${"-".repeat(80)}\n\n`));
