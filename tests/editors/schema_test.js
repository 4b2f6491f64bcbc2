// `headroom schema` against ajv and the real yaml-language-server. usage: node schema_test.js HEADROOM SOURCE_DIR
// NODE_MODULES; the packages are those of package.json beside this file.
'use strict';
const assert = require('assert');
const { execFileSync, spawn } = require('child_process');
const fs = require('fs');
const path = require('path');

const [headroom, source, modules] = process.argv.slice(2);
const load = (name) => require(path.join(modules, name));
const Ajv = load('ajv');
const YAML = load('yaml');

const releases = ['0.2.2', '0.3.1', '0.4.2', '0.5.1', '0.6.0', 'main'];
const dialects = ['bridge', 'verl', 'verl-sft', 'nemo-rl', 'nemo1', 'ms-swift', 'megatron-lm', 'megatron-lm-yaml'];

const schemaOf = (dialect, release) =>
  JSON.parse(execFileSync(headroom, ['schema', '--dialect', dialect, '--bridge', release], { maxBuffer: 1 << 26 }));

function validator(schema) {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strict: true, strictNumbers: false });
  ajv.addVocabulary(['deprecationMessage']); // an editor's word, not the draft's
  assert(ajv.validateSchema(schema), JSON.stringify(ajv.errors));
  return ajv.compile(schema);
}

const parse = (text) => YAML.parse(text, { version: '1.1', merge: true, maxAliasCount: -1, logLevel: 'silent' });

function yamlFiles(folder) {
  return fs.readdirSync(folder, { recursive: true }).filter((f) => /\.ya?ml$/.test(f)).map((f) => path.join(folder, f));
}

function eachSchemaIsOne() {
  let fields = 0;
  for (const dialect of dialects) {
    for (const release of releases) {
      const schema = schemaOf(dialect, release);
      assert.strictEqual(schema.$schema, 'http://json-schema.org/draft-07/schema#');
      validator(schema);
      fields = Math.max(fields, JSON.stringify(schema).split('"description"').length);
    }
  }
  assert(fields > 400, 'descriptions: ' + fields);
}

// The files that ship with headroom, each against the schema of its language.
function realConfigsAreValid() {
  let count = 0;
  const check = (folder, dialect, release) => {
    const valid = validator(schemaOf(dialect, release));
    for (const file of yamlFiles(path.join(source, folder))) {
      assert(valid(parse(fs.readFileSync(file, 'utf8'))), file + ': ' + JSON.stringify(valid.errors, null, 1).slice(0, 2000));
      ++count;
    }
  };
  for (const release of ['0.4.2', '0.6.0', 'main']) check('tests/data/recipes/' + release, 'bridge', release);
  for (const dialect of ['verl', 'nemo-rl', 'ms-swift', 'nemo1']) check('tests/data/dialects/' + dialect, dialect, '0.6.0');
  assert(count > 20, 'files: ' + count);
}

function mistakesAreNot() {
  const valid = validator(schemaOf('bridge', '0.6.0'));
  const good = ['model: {num_layers: 4}', 'model: null', 'model: {num_layers: "${train.x}"}', 'model: {num_layers: ???}',
    'mixed_precision: bf16_mixed', 'mixed_precision: {fp8: hybrid}', 'model: {_target_: a.B, params_dtype: torch.bfloat16}',
    'model: {pipeline_dtype: {_target_: torch.bfloat16, _call_: false}}', 'headroom: {gpus: 8, gpu: h100, env: {}}',
    'optimizer: {lr: 3.0e-4}', 'model: {recompute_modules: [core_attn]}'];
  const bad = ['model: {num_layrs: 4}', 'model: {num_layers: many}', 'model: {num_layers: 4.5}', 'model: 3',
    'optimizer: {lr: fast}', 'model: {sequence_parallel: perhaps}', 'headroom: {gpus: 0}'];
  for (const text of good) assert(valid(parse(text)), text + ': ' + JSON.stringify(valid.errors));
  for (const text of bad) assert(!valid(parse(text)), text);
  const old = validator(schemaOf('bridge', '0.2.2'));
  assert(!old(parse('model: {cuda_graph_modules: [attn]}')), 'a field of a later release');
  const field = schemaOf('bridge', '0.6.0').properties.model.properties.cuda_graph_scope;
  assert(field.deprecated === true && /Deprecated/.test(field.deprecationMessage), JSON.stringify(field));
}

// The server that editors use: messages over its standard streams.
async function yamlLanguageServerTakesIt() {
  const schemaFile = path.join(fs.mkdtempSync(path.join(require('os').tmpdir(), 'headroom-')), 'schema.json');
  fs.writeFileSync(schemaFile, JSON.stringify(schemaOf('bridge', '0.6.0')));
  const settings = { yaml: { schemas: { ['file://' + schemaFile]: '*.yaml' }, schemaStore: { enable: false }, validate: true, hover: true, completion: true } };
  const server = spawn(process.execPath, [path.join(modules, 'yaml-language-server/bin/yaml-language-server'), '--stdio']);
  const waiting = new Map();
  const published = [];
  let listener = () => {};
  let buffer = Buffer.alloc(0);
  const send = (message) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    server.stdin.write(body);
  };
  const request = (id, method, params) =>
    new Promise((resolve) => { waiting.set(id, resolve); send({ id, method, params }); });
  const take = (message) => {
    if (message.method === 'textDocument/publishDiagnostics') { published.push(message.params); listener(); }
    else if (message.method === 'workspace/configuration') send({ id: message.id, result: message.params.items.map((item) => settings[item.section] || {}) });
    else if (message.method && message.id !== undefined) send({ id: message.id, result: null });
    else if (waiting.has(message.id)) waiting.get(message.id)(message.result);
  };
  server.stdout.on('data', (data) => {
    buffer = Buffer.concat([buffer, data]);
    for (;;) {
      const end = buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, end).toString())[1]);
      if (buffer.length < end + 4 + length) return;
      const body = buffer.subarray(end + 4, end + 4 + length).toString();
      buffer = buffer.subarray(end + 4 + length);
      take(JSON.parse(body));
    }
  });
  await request(1, 'initialize', { processId: process.pid, rootUri: null, capabilities: { textDocument: { hover: { contentFormat: ['markdown'] }, completion: {} } } });
  send({ method: 'initialized', params: {} });
  send({ method: 'workspace/didChangeConfiguration', params: { settings } });
  const uri = 'file:///repo/run.yaml';
  const text = 'model:\n  num_layrs: 4\n  num_layers: 4\n  recompute_granularity: \nmixed_precision: bf16_mixed\n';
  const diagnosed = new Promise((resolve) => {
    listener = () => { const last = published.filter((p) => p.uri === uri && p.diagnostics.length).pop(); if (last) resolve(last.diagnostics); };
  });
  send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'yaml', version: 1, text } } });
  const diagnostics = await diagnosed;
  assert(diagnostics.some((d) => /num_layrs/.test(d.message)), JSON.stringify(diagnostics));
  assert(!diagnostics.some((d) => d.range.start.line !== 1), JSON.stringify(diagnostics));
  const hover = await request(2, 'textDocument/hover', { textDocument: { uri }, position: { line: 2, character: 5 } });
  assert(/layers/i.test(JSON.stringify(hover.contents)), JSON.stringify(hover));
  const completion = await request(3, 'textDocument/completion', { textDocument: { uri }, position: { line: 3, character: 25 } });
  const labels = (completion.items || completion).map((i) => i.label);
  assert(labels.includes('selective') && labels.includes('full'), labels.join());
  server.kill();
}

async function main() {
  const tests = [eachSchemaIsOne, realConfigsAreValid, mistakesAreNot, yamlLanguageServerTakesIt];
  setTimeout(() => { console.error('FAILED: took longer than 200 s'); process.exit(1); }, 200000).unref();
  for (const test of tests) {
    await test();
    console.log('ok: ' + test.name);
  }
  process.exit(0);
}

main().catch((error) => { console.error(error); process.exit(1); });
