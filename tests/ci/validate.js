// SOURCE FOLDER SARIF-SCHEMA: the documents of FOLDER under their schemas, and what sarif-multitool said of them.
const fs = require('fs');
const path = require('path');
const Ajv = require('ajv');
const Ajv2020 = require('ajv/dist/2020');
const formats = require('ajv-formats');

const [source, folder, schemaFile] = process.argv.slice(2);
const json = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const schema = json(schemaFile);
const make = /2020-12/.test(schema.$schema) ? Ajv2020 : Ajv;
const compile = (Kind, s) => { const ajv = new Kind({strict: false, allErrors: true}); formats(ajv); return ajv.compile(s); };
const sarif = compile(make, schema);
const gitlab = compile(Ajv, json(path.join(source, 'tests/ci/gitlab.schema.json')));
let failures = 0;
let documents = 0;
const fail = (what) => { ++failures; console.log('FAILED: ' + what); };

for (const name of fs.readdirSync(folder)) {
  const file = path.join(folder, name);
  const check = name.endsWith('.sarif') ? sarif : name.endsWith('.gitlab.json') ? gitlab : null;
  if (!check) continue;
  ++documents;
  const document = json(file);
  if (!check(document)) fail(`${name}: ${JSON.stringify(check.errors.slice(0, 5))}`);
  if (check === gitlab && new Set(document.map((i) => i.fingerprint)).size !== document.length) fail(`${name}: fingerprints repeat`);
}
if (documents !== 16) fail(`${documents} documents`);
if (sarif({version: '2.1.0', runs: [{}]}) || gitlab([{}])) fail('the schemas take anything');

// Remarks that are no fault of the document, each with its reason.
const accepted = {
  SARIF2002: 'messages are texts: there is no table of translations',
  SARIF2009: 'ids of rules are AREA/NAME, not letters and digits',
  SARIF2005: 'no home page is known where none was configured',
  SARIF2006: 'a URL that cannot be reached from here',
  SARIF2003: 'no version control is asked',
  SARIF2010: 'code snippets would double the size',
  SARIF2011: 'the same',
  SARIF2012: 'rules have no page on the web',
};
const validation = json(path.join(folder, 'validation.json'));
const driver = validation.runs[0].tool.driver;
for (const result of validation.runs.flatMap((r) => r.results || [])) {
  const id = result.ruleId.split('/')[0];
  if ((result.level || 'warning') !== 'error' && accepted[id]) continue;
  const where = result.locations?.[0]?.physicalLocation;
  fail(`${driver.name} ${result.ruleId} ${result.level}: ${JSON.stringify(result.message)} ${JSON.stringify(where)}`);
}
console.log(`${documents} documents, ${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
