import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { expanded, findCommand, NotFoundError, onPath, type State, stateOf, type Surroundings } from "../src/finding";

function around(given: {
  path?: string;
  interpreter?: string;
  selected?: string;
  states?: Record<string, State>;
  files?: string[];
  windows?: boolean;
  searchPath?: string;
}): Surroundings {
  return {
    settings: { path: given.path ?? "", interpreter: given.interpreter ?? "", arguments: ["lsp"] },
    folder: "/project",
    home: "/home/me",
    selected: given.selected,
    probe: async (interpreter) => given.states?.[interpreter] ?? "does not start",
    isFile: (file) => given.files?.includes(file) ?? false,
    searchPath: given.searchPath ?? "/bin:/usr/bin",
    windows: given.windows ?? false,
  };
}

async function trouble(given: Parameters<typeof around>[0]): Promise<NotFoundError> {
  try {
    await findCommand(around(given));
  } catch (error) {
    assert.ok(error instanceof NotFoundError);
    return error;
  }
  return assert.fail("found");
}

test("the path of the settings comes first", async () => {
  const found = await findCommand(
    around({ path: "tools/tflint-hf", files: ["/project/tools/tflint-hf"], selected: "/py", states: { "/py": "ready" } }),
  );
  assert.deepEqual(found, { command: "/project/tools/tflint-hf", args: ["lsp"] });
});

test("a bare name in the settings is looked for on PATH", async () => {
  assert.equal((await findCommand(around({ path: "uvx", files: ["/usr/bin/uvx"] }))).command, "/usr/bin/uvx");
});

test("a path that is not there is named", async () => {
  const error = await trouble({ path: "~/no" });
  assert.match(error.message, /tflint-hf\.path names \/home\/me\/no/);
  assert.equal(error.remedy, undefined);
});

test("an interpreter of the settings comes before the selected one", async () => {
  const states: Record<string, State> = { "/a": "ready", "/b": "ready" };
  const found = await findCommand(around({ interpreter: "/a", selected: "/b", states }));
  assert.equal(found.command, "/a");
  assert.equal(found.args[0], "-c");
  assert.equal(found.args.at(-1), "lsp");
});

test("the selected interpreter comes before PATH, if it has the server", async () => {
  const files = ["/bin/tflint-hf"];
  const ready = await findCommand(around({ selected: "/py", states: { "/py": "ready" }, files }));
  assert.equal(ready.command, "/py");
  const without = await findCommand(around({ selected: "/py", states: { "/py": "no server" }, files }));
  assert.equal(without.command, "/bin/tflint-hf");
});

test("what is missing is told with the command to type", async () => {
  assert.equal((await trouble({})).remedy, 'python3 -m pip install ".[lsp]"');
  assert.equal((await trouble({})).where, " in a checkout of tflint-hf");
  assert.equal((await trouble({ windows: true })).remedy, 'py -m pip install ".[lsp]"');
  const server = await trouble({ selected: "/my py/python", states: { "/my py/python": "no server" } });
  assert.match(server.message, /without its language server/);
  const extra = readFileSync("../../extras/lsp.txt", "utf8").split("\n").filter((line) => /^\w/.test(line));
  assert.equal(server.remedy, `"/my py/python" -m pip install ${extra.map((one) => `"${one}"`).join(" ")}`);
  assert.equal(server.where, "");
  const linter = await trouble({ interpreter: "/py", states: { "/py": "no linter" } });
  assert.match(linter.message, /has no tflint-hf/);
  assert.equal(linter.remedy, '/py -m pip install ".[lsp]"');
  assert.match((await trouble({ interpreter: "/py" })).message, /does not start/);
});

test("paths are filled in", () => {
  const places = { folder: "/project", home: "/home/me" };
  assert.equal(expanded("${workspaceFolder}/.venv/bin/python", places), "/project/.venv/bin/python");
  assert.equal(expanded(".venv/bin/python", places), "/project/.venv/bin/python");
  assert.equal(expanded("python3", places), "python3");
  assert.equal(expanded("", places), "");
  assert.equal(expanded("~/x", { ...places, folder: undefined }), "/home/me/x");
});

test("PATH of Windows, and relative folders on PATH", () => {
  const files = ["C:\\py\\tflint-hf.exe", "tflint-hf"];
  const windows = around({ windows: true, searchPath: "C:\\a;C:\\py", files });
  assert.equal(onPath("tflint-hf", windows), "C:\\py\\tflint-hf.exe");
  assert.equal(onPath("tflint-hf", around({ searchPath: ".:", files })), undefined);
});

test("exit codes of the probe", () => {
  assert.deepEqual([0, 11, 12, 1, null].map(stateOf), [
    "ready", "no linter", "no server", "does not start", "does not start",
  ]);
});
