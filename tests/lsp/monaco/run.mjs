// Serves the page, joins its web socket to a language server of its own, and does in Chromium what a user would.
// node run.mjs ANSWER.json, with the environment variables GIVEN (JSON) and SERVER (JSON, a command). PICTURE: where the
// editor is to be painted with its menu of fixes.
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { WebSocketServer } from "ws";

const FOLDER = fileURLToPath(new URL("dist", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" };
const given = JSON.parse(process.env.GIVEN);
const command = JSON.parse(process.env.SERVER);

const http = createServer(async (request, response) => {
  const path = normalize(new URL(request.url, "http://localhost").pathname);
  try {
    const body = path === "/given.json" ? JSON.stringify(given) : await readFile(join(FOLDER, path === "/" ? "index.html" : path));
    response.writeHead(200, { "content-type": TYPES[extname(path) || ".html"] ?? "application/octet-stream" });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
});

new WebSocketServer({ server: http }).on("connection", (socket) => {
  const server = spawn(command[0], command.slice(1), { cwd: given.folder, stdio: ["pipe", "pipe", "inherit"] });
  socket.on("message", (data) => {
    const body = Buffer.from(data);
    server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    server.stdin.write(body);
  });
  socket.on("close", () => server.kill());
  let rest = Buffer.alloc(0);
  server.stdout.on("data", (piece) => {
    rest = Buffer.concat([rest, piece]);
    for (;;) {
      const end = rest.indexOf("\r\n\r\n");
      const length = end < 0 ? NaN : Number(/content-length: *(\d+)/i.exec(rest.toString("latin1", 0, end))[1]);
      if (!(rest.length >= end + 4 + length)) break;
      socket.send(rest.toString("utf8", end + 4, end + 4 + length));
      rest = rest.subarray(end + 4 + length);
    }
  });
});

await new Promise((listening) => http.listen(0, "127.0.0.1", listening));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ deviceScaleFactor: 2 });
page.on("console", (message) => message.type() === "error" && console.error(message.text()));
page.on("pageerror", (error) => console.error(error.message));
const said = {};
const codes = () => page.evaluate(() => window.findings().map((one) => one.code).sort());
const until = (wanted) =>
  page.waitForFunction((codes) => JSON.stringify(window.findings().map((one) => one.code).sort()) === JSON.stringify(codes), wanted, { timeout: 60000 });
try {
  await page.goto(`http://127.0.0.1:${http.address().port}/`);
  await page.waitForFunction(() => window.ready, undefined, { timeout: 120000 });
  await until(["TFD007", "TFL001"]);
  said.opened = await page.evaluate(() => window.findings());
  await page.waitForSelector(".squiggly-error");
  await page.waitForSelector("text=Confirm by running");
  const place = said.opened.find((one) => one.code === "TFD007");
  said.hover = await page.evaluate(([line, character]) => window.hover(line, character), [place.line, place.character]);
  await page.evaluate(([line, character]) => window.goTo(line, character), [place.line, place.character]);
  await page.evaluate(() => window.act("editor.action.quickFix"));
  await page.waitForSelector("text=Make an array of the labels (TFD007)");
  if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE, clip: { x: 40, y: 0, width: 940, height: 360 } });
  await page.keyboard.press("Enter");
  await until(["TFL001"]);
  said.text = await page.evaluate(() => window.text());
  await page.evaluate((text) => window.replace(text), given.mended);
  await until([]);
  said.mended = await codes();
  await writeFile(process.argv[2], JSON.stringify(said));
} finally {
  await browser.close();
  http.close();
}
process.exit(0);
