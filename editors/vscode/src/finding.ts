/** Finding the server: the setting, the interpreter of the project, then PATH. Knows nothing of VS Code. */

import * as path from "node:path";

export interface Settings {
  /** The command to start, or "". */
  path: string;
  /** A Python interpreter that has tflint-hf, or "". */
  interpreter: string;
  arguments: readonly string[];
}

export interface Command {
  command: string;
  args: string[];
}

/** What an interpreter has: the server, the linter alone, nothing of it; or it does not start. */
export type State = "ready" | "no server" | "no linter" | "does not start";

export interface Surroundings {
  settings: Settings;
  /** The folder that relative paths and ${workspaceFolder} are in. */
  folder: string | undefined;
  home: string;
  /** The interpreter that the Python extension has selected. */
  selected: string | undefined;
  probe(interpreter: string): Promise<State>;
  isFile(file: string): boolean;
  /** The value of PATH. */
  searchPath: string;
  windows: boolean;
}

export class NotFoundError extends Error {
  constructor(
    message: string,
    /** What to type into a terminal to mend it. */
    readonly remedy: string | undefined = undefined,
    /** Where to type it, if that matters. */
    readonly where: string = "",
  ) {
    super(message);
  }
}

// Modules of the project are not to take the place of those that the server imports: the folder is left out.
const START = "import runpy, sys; sys.path[:] = [p for p in sys.path if p]; runpy.run_module('tflint_hf', None, '__main__', True)";

/** What the extra "lsp" of the package brings. */
const SERVER = '"pygls>=2.0" "lsprotocol>=2025.0"';
const CHECKOUT = " in a checkout of tflint-hf";

/** A program for an interpreter that tells its State by the exit code. */
export const PROBE =
  "import sys; sys.path[:] = [p for p in sys.path if p]; from importlib.util import find_spec as f; " +
  "sys.exit(11 if f('tflint_hf') is None else 12 if f('pygls') is None else 0)";

/** The State that an exit code of PROBE tells. */
export function stateOf(code: number | null): State {
  switch (code) {
    case 0:
      return "ready";
    case 11:
      return "no linter";
    case 12:
      return "no server";
    default:
      return "does not start";
  }
}

/** The command that starts the server. Rejects with NotFoundError. */
export async function findCommand(around: Surroundings): Promise<Command> {
  const { settings } = around;
  const args = [...settings.arguments];
  if (settings.path !== "") {
    const command = expanded(settings.path, around);
    const found = isName(command) ? onPath(command, around) : around.isFile(command) ? command : undefined;
    if (found === undefined) {
      throw new NotFoundError(`The setting tflint-hf.path names ${command}, which is not there.`);
    }
    return { command: found, args };
  }
  if (settings.interpreter !== "") {
    const interpreter = expanded(settings.interpreter, around);
    const state = await around.probe(interpreter);
    if (state !== "ready") {
      throw notReady(interpreter, state, around.windows);
    }
    return byInterpreter(interpreter, args);
  }
  const state = around.selected === undefined ? undefined : await around.probe(around.selected);
  if (around.selected !== undefined && state === "ready") {
    return byInterpreter(around.selected, args);
  }
  const found = onPath("tflint-hf", around);
  if (found !== undefined) {
    return { command: found, args };
  }
  if (around.selected !== undefined && state !== undefined) {
    throw notReady(around.selected, state, around.windows);
  }
  throw new NotFoundError(
    "tflint-hf was found neither in an interpreter of the Python extension nor on PATH.",
    `${around.windows ? "py" : "python3"} -m pip install ".[lsp]"`,
    CHECKOUT,
  );
}

/** A path of the settings with ~, ${workspaceFolder} and what is relative filled in. A bare name stays one. */
export function expanded(given: string, around: Pick<Surroundings, "folder" | "home">): string {
  let result = given.replace(/^~(?=$|[\\/])/, () => around.home);
  if (around.folder !== undefined) {
    const folder = around.folder;
    result = result.replace(/\$\{workspaceFolder\}/g, () => folder);
    if (!isName(result) && !path.isAbsolute(result)) {
      result = path.join(folder, result);
    }
  }
  return result;
}

/** Where a command is on PATH. */
export function onPath(
  name: string,
  around: Pick<Surroundings, "searchPath" | "windows" | "isFile">,
): string | undefined {
  const form = around.windows ? path.win32 : path.posix;
  const names = around.windows && form.extname(name) === "" ? [`${name}.exe`] : [name];
  return around.searchPath
    .split(form.delimiter)
    .filter((folder) => form.isAbsolute(folder))
    .flatMap((folder) => names.map((one) => form.join(folder, one)))
    .find((file) => around.isFile(file));
}

function isName(command: string): boolean {
  return !/[\\/]/.test(command);
}

function byInterpreter(interpreter: string, args: string[]): Command {
  return { command: interpreter, args: ["-c", START, ...args] };
}

function notReady(interpreter: string, state: State, windows: boolean): NotFoundError {
  if (state === "does not start") {
    return new NotFoundError(`The Python interpreter ${interpreter} does not start.`);
  }
  const lacks = state === "no linter" ? "has no tflint-hf" : "has tflint-hf without its language server";
  const quoted = /\s/.test(interpreter) ? `${windows ? "& " : ""}"${interpreter}"` : interpreter;
  const [wanted, where] = state === "no linter" ? ['".[lsp]"', CHECKOUT] : [SERVER, ""];
  return new NotFoundError(`${interpreter} ${lacks}.`, `${quoted} -m pip install ${wanted}`, where);
}
