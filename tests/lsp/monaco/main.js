// Monaco with a language client, as a page. What the test asks for is on `window`.
import * as vscode from "vscode";
import { EditorApp } from "monaco-languageclient/editorApp";
import { LanguageClientWrapper } from "monaco-languageclient/lcwrapper";
import { MonacoVscodeApiWrapper } from "monaco-languageclient/vscodeApiWrapper";
import { configureDefaultWorkerFactory } from "monaco-languageclient/workerFactory";

const given = await (await fetch("/given.json")).json();
const uri = vscode.Uri.file(given.path);

await new MonacoVscodeApiWrapper({
  $type: "extended",
  viewsConfig: { $type: "EditorService" },
  userConfiguration: { json: JSON.stringify({ "editor.codeLens": true, "editor.lightbulb.enabled": "on" }) },
  monacoWorkerFactory: configureDefaultWorkerFactory,
  extensions: [
    {
      config: {
        name: "python-language",
        publisher: "test",
        version: "1.0.0",
        engines: { vscode: "*" },
        contributes: { languages: [{ id: "python", extensions: [".py"] }] },
      },
    },
  ],
}).start();

await new LanguageClientWrapper({
  languageId: "python",
  connection: { options: { $type: "WebSocketUrl", url: `ws://${location.host}/` } },
  clientOptions: {
    documentSelector: ["python"],
    workspaceFolder: { index: 0, name: "folder", uri: vscode.Uri.file(given.folder) },
  },
}).start();

const app = new EditorApp({ codeResources: { modified: { text: given.text, uri: given.path } } });
await app.start(document.getElementById("editor"));
const editor = app.getEditor();

window.findings = () =>
  vscode.languages.getDiagnostics(uri).map((one) => ({
    code: typeof one.code === "object" ? one.code.value : one.code,
    line: one.range.start.line,
    character: one.range.start.character,
    message: one.message,
  }));
window.text = () => editor.getValue();
window.goTo = (line, character) => {
  editor.setPosition({ lineNumber: line + 1, column: character + 1 });
  editor.focus();
};
window.act = (action) => editor.trigger("test", action, {});
window.replace = (text) => editor.setValue(text);
window.hover = async (line, character) => {
  const at = new vscode.Position(line, character);
  const found = await vscode.commands.executeCommand("vscode.executeHoverProvider", uri, at);
  return found.flatMap((one) => one.contents.map((part) => part.value ?? part)).join("\n");
};
window.ready = true;
