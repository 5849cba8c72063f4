/** The interpreter that the Python extension has selected, where that extension is there. */

import * as vscode from "vscode";

interface Environments {
  getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
  resolveEnvironment(path: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

async function environments(): Promise<Environments | undefined> {
  const extension = vscode.extensions.getExtension<{ environments?: Environments }>("ms-python.python");
  try {
    return (await extension?.activate())?.environments;
  } catch {
    return undefined;
  }
}

export async function selectedInterpreter(): Promise<string | undefined> {
  const known = await environments();
  const active = known?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
  return active === undefined ? undefined : (await known?.resolveEnvironment(active))?.executable.uri?.fsPath;
}

export async function onInterpreterChange(act: () => unknown): Promise<vscode.Disposable | undefined> {
  return (await environments())?.onDidChangeActiveEnvironmentPath(act);
}
