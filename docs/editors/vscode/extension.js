// Starts `headroom lsp`. Not tested: see docs/editors.md.
'use strict';
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

// The options that the server knows; `path` is ours.
function options() {
  const settings = vscode.workspace.getConfiguration('headroom');
  return { bridge: settings.get('bridge'), gpus: settings.get('gpus'), gpu: settings.get('gpu'), advice: settings.get('advice') };
}

async function activate(context) {
  const command = vscode.workspace.getConfiguration('headroom').get('path');
  const documentSelector = ['yaml', 'json', 'shellscript'].flatMap((language) => [
    { scheme: 'file', language },
    { scheme: 'untitled', language },
  ]);
  client = new LanguageClient('headroom', 'headroom', { command, args: ['lsp'] }, { documentSelector, initializationOptions: options() });
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('headroom')) {
        client.sendNotification('workspace/didChangeConfiguration', { settings: { headroom: options() } });
      }
    })
  );
  await client.start();
}

module.exports = { activate, deactivate: () => client && client.stop() };
