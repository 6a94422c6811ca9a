// The extension: starts the server, and shows what its commands return (plots, bond graphs, diagrams) in panels.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { page } = require("./page");

let client;
/** Panels by the kind of picture and the class that they show. */
const panels = new Map();

function settings() {
  return vscode.workspace.getConfiguration("ferrica");
}

async function start() {
  const run = { command: settings().get("path") || "ferrica", args: ["lsp"] };
  client = new LanguageClient(
    "ferrica",
    "Ferrica",
    { run, debug: run },
    {
      documentSelector: [{ language: "modelica" }],
      initializationOptions: { libraries: settings().get("libraries") },
      synchronize: { configurationSection: "ferrica" },
      middleware: {
        // The commands of lenses come through here: what they return is shown.
        executeCommand: async (command, args, next) => show(command, args, await next(command, args)),
      },
    }
  );
  await client.start();
}

function show(command, args, answer) {
  if (!answer) return answer;
  if (!answer.svg) {
    const told = answer.errors ? vscode.window.showErrorMessage : vscode.window.showInformationMessage;
    told(answer.title + (answer.text ? "\n" + answer.text : ""));
    return answer;
  }
  const key = command + " " + args[1];
  let panel = panels.get(key);
  if (!panel) {
    panel = vscode.window.createWebviewPanel("ferrica", answer.title, vscode.ViewColumn.Beside, { enableScripts: false });
    panel.onDidDispose(() => panels.delete(key));
    panels.set(key, panel);
  }
  panel.title = answer.title;
  panel.webview.html = page(answer);
  panel.reveal(undefined, true);
  return answer;
}

/** Runs a command for the class around the cursor. */
async function here(command) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client) return;
  const uri = editor.document.uri.toString();
  const params = { textDocument: { uri } };
  const lenses = (await client.sendRequest("textDocument/codeLens", params)) || [];
  const line = editor.selection.active.line;
  const before = lenses.filter((l) => l.range.start.line <= line);
  const lens = before[before.length - 1] || lenses[0];
  if (!lens) {
    vscode.window.showWarningMessage("There is no model here that can be run.");
    return;
  }
  const args = lens.command.arguments;
  try {
    const answer = await client.sendRequest("workspace/executeCommand", { command, arguments: args });
    show(command, args, answer);
  } catch (error) {
    vscode.window.showErrorMessage(String(error.message || error));
  }
}

async function activate(context) {
  const commands = {
    "ferrica.simulateHere": () => here("ferrica.simulate"),
    "ferrica.checkHere": () => here("ferrica.check"),
    "ferrica.bondGraphHere": () => here("ferrica.bondGraph"),
    "ferrica.diagramHere": () => here("ferrica.diagram"),
    "ferrica.restart": async () => {
      if (client) await client.stop();
      await start();
    },
  };
  for (const [name, action] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, action));
  }
  // An open diagram follows the text once it is saved.
  context.subscriptions.push(
    vscode.workspace.onDidSaveTextDocument(async (document) => {
      for (const [key, panel] of panels) {
        const [command, name] = key.split(" ");
        if (command !== "ferrica.diagram" || document.languageId !== "modelica") continue;
        const args = [document.uri.toString(), name];
        const answer = await client.sendRequest("workspace/executeCommand", { command, arguments: args }).catch(() => null);
        if (answer && answer.svg) panel.webview.html = page(answer);
      }
    })
  );
  await start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
