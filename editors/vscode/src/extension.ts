/** The client: starts the server, and adds the commands that a person calls by name. */

import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { DidChangeConfigurationNotification, LanguageClient } from "vscode-languageclient/node";
import { expanded, findCommand, NotFoundError, PROBE, type State, stateOf } from "./finding";
import { codesOf, type ServerOptions, serverOptions } from "./options";
import { onInterpreterChange, selectedInterpreter } from "./python";

const NAME = "tflint-hf";
const PROBE_MILLISECONDS = 20_000;
const NEEDS_RESTART = ["enable", "path", "interpreter", "arguments"].map((key) => `${NAME}.${key}`);

let client: LanguageClient | undefined;
let log: vscode.OutputChannel;
/** Starts and stops, one after the other. */
let queue: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  log = vscode.window.createOutputChannel(NAME);
  const command = (name: string, act: () => unknown) => vscode.commands.registerCommand(`${NAME}.${name}`, act);
  // tflint-hf.explain and tflint-hf.confirm are the server's: the language client registers them.
  context.subscriptions.push(
    log,
    command("restart", restart),
    command("fixAll", fixAll),
    command("confirmActive", confirmActive),
    command("showRule", showRule),
    command("showLog", () => log.show()),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (NEEDS_RESTART.some((key) => event.affectsConfiguration(key))) {
        await restart();
      } else if (event.affectsConfiguration(NAME)) {
        const settings = { [NAME]: await options() };
        await client?.sendNotification(DidChangeConfigurationNotification.type, { settings });
      }
    }),
  );
  const listener = await onInterpreterChange(restart);
  if (listener !== undefined) {
    context.subscriptions.push(listener);
  }
  await restart();
}

export async function deactivate(): Promise<void> {
  queue = queue.then(stop);
  await queue;
}

function restart(): Promise<void> {
  queue = queue.then(stop).then(start).catch(complain);
  return queue;
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  // One that has failed cannot be stopped; it is gone anyway.
  await old?.dispose().catch((error: unknown) => log.appendLine(String(error)));
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration(NAME);
  if (!settings.get("enable", true)) {
    return;
  }
  const found = await findCommand({
    settings: {
      path: settings.get("path", ""),
      interpreter: settings.get("interpreter", ""),
      arguments: settings.get("arguments", ["lsp"]),
    },
    folder: folder(),
    home: homedir(),
    selected: await selectedInterpreter(),
    probe,
    isFile: (file) => statSync(file, { throwIfNoEntry: false })?.isFile() ?? false,
    searchPath: process.env["PATH"] ?? "",
    windows: process.platform === "win32",
  });
  log.appendLine(`starts ${JSON.stringify([found.command, ...found.args])}`);
  const languages = ["python", "markdown", "mdx"];
  client = new LanguageClient(NAME, NAME, found, {
    documentSelector: [
      ...["file", "untitled"].flatMap((scheme) => languages.map((language) => ({ scheme, language }))),
      { notebook: "jupyter-notebook", language: "python" },
    ],
    initializationOptions: await options(),
    outputChannel: log,
  });
  await client.start();
}

async function options(): Promise<ServerOptions> {
  const settings = vscode.workspace.getConfiguration(NAME);
  const python = expanded(settings.get("confirm.python", ""), { folder: folder(), home: homedir() });
  const budgetSeconds = settings.get("confirm.budgetSeconds", 120);
  return serverOptions(python, await selectedInterpreter(), budgetSeconds, settings.get("rulePaths", true));
}

function folder(): string | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}

function probe(interpreter: string): Promise<State> {
  return new Promise((resolve) => {
    const child = spawn(interpreter, ["-c", PROBE], { stdio: "ignore", timeout: PROBE_MILLISECONDS });
    child.on("error", () => resolve("does not start"));
    child.on("close", (code) => resolve(stateOf(code)));
  });
}

async function complain(error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  const [remedy, where] = error instanceof NotFoundError ? [error.remedy, error.where] : [];
  const whole = remedy === undefined ? message : `${message} Install it${where} with: ${remedy}`;
  log.appendLine(whole);
  const copy = "Copy the command", settings = "Open settings", show = "Show log";
  const choices = remedy === undefined ? [settings, show] : [copy, settings, show];
  // Not awaited: the queue goes on while the message stands.
  void vscode.window.showErrorMessage(`tflint-hf: ${whole}`, ...choices).then(async (choice) => {
    if (choice === copy && remedy !== undefined) {
      await vscode.env.clipboard.writeText(remedy);
    } else if (choice === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", `${NAME}.`);
    } else if (choice === show) {
      log.show();
    }
  });
}

function isRunning(): boolean {
  if (client?.isRunning() === true) {
    return true;
  }
  void vscode.window.showInformationMessage("tflint-hf: the server is not running. The log says why.");
  return false;
}

async function fixAll(): Promise<void> {
  if (isRunning()) {
    const asked = { kind: "source.fixAll.tflint-hf", apply: "first" };
    await vscode.commands.executeCommand("editor.action.sourceAction", asked);
  }
}

async function confirmActive(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const uri = vscode.window.activeNotebookEditor?.notebook.uri ?? editor?.document.uri;
  if (uri === undefined) {
    void vscode.window.showInformationMessage("tflint-hf: no program is open that could be run.");
  } else if (isRunning()) {
    await vscode.commands.executeCommand(`${NAME}.confirm`, client?.code2ProtocolConverter.asUri(uri));
  }
}

async function showRule(): Promise<void> {
  if (!isRunning()) {
    return;
  }
  const editor = vscode.window.activeTextEditor;
  const all = editor === undefined ? [] : vscode.languages.getDiagnostics(editor.document.uri);
  const here = codesOf(all.filter((one) => editor?.selections.some((s) => one.range.intersection(s) !== undefined)));
  const code =
    here.length > 1
      ? await vscode.window.showQuickPick(here, { title: "The page of which rule?" })
      : (here[0] ?? (await vscode.window.showInputBox({ title: "The page of which rule?", placeHolder: "TFL018" })));
  if (code !== undefined && code.trim() !== "") {
    await vscode.commands.executeCommand(`${NAME}.explain`, code.trim());
  }
}
