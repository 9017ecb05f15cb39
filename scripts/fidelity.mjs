// Writes docs/fidelity.md and the figures in README.md: what is known to be as in the service, and what is not. With --check, fails if the page is out
// of date, or if evidence/ does not fit the code and the contract.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { readEvidence, stateOf } from './evidence.mjs';

const FILE = 'docs/fidelity.md';
const VERBS = ['get', 'put', 'post', 'delete', 'patch'];

const document = JSON.parse(readFileSync('dist/openapi.json', 'utf8'));
const summaries = new Map();
for (const item of Object.values(document.paths))
  for (const verb of VERBS.filter((each) => item[each])) {
    const { operationId, summary, tags = ['other'] } = item[verb];
    const id = operationId.replace(/\d+$/, '');
    if (!summaries.has(id)) summaries.set(id, { summary, area: tags[0] });
  }
const { operations, rules, programs, complaints } = readEvidence(new Set(summaries.keys()));

const provenOperations = () => [...operations.values()].filter((each) => stateOf(each) === 'proven').length;

/** As on the first screen of README.md. */
function figures() {
  const proven = provenOperations();
  return `${proven} operations proven, ${operations.size - proven} not proven, ${rules.length} unknown rules`;
}

function page() {
  return `${[
    ...introduction(),
    ...stateTable(),
    ...programTable(),
    '## Rules that no source states',
    '',
    'The last column says `yes` if a probe checks the rule, and otherwise why no probe can.',
    '',
    ...areasOfRules(),
    '## Operations',
    '',
    'The third column names the programs that call the operation, or says why none does.',
    '',
    '| operation | evidence | programs | unknown rules |',
    '| --- | --- | --- | --- |',
    ...operationRows(),
    '',
    '`npm run generate:docs` writes this page from the contract and from `evidence/`. `npm run check` fails if the page is out of',
    'date.',
  ].join('\n')}\n`;
}

const introduction = () => [
  '# How faithful is it?',
  '',
  'Task: find out whether you can rely on an answer of Understudy. For one call, ask the command line:',
  '',
  '<!-- not run: calls a running service -->',
  '',
  '```sh',
  'npx understudy explain       # the latest failed call: why it got its answer, and what is known about its operation',
  'npx understudy explain req_3 # the same for the call with this understudy-request-id',
  '```',
  '',
  "Understudy's authors have no access to the real service. They know it from *sources*: the documentation, the SDKs and the",
  'API descriptions that the vendor publishes. This page lists, for each operation and each rule, the evidence that Understudy',
  'behaves like the service.',
  '',
];

function stateTable() {
  const proven = provenOperations();
  const probed = rules.filter(({ probe }) => probe).length;
  const probes =
    probed > 0
      ? `For ${probed} of the unknown rules, there is a probe: a check that you can run against your own environment of the service. See [Compare with the real service](probes.md).`
      : '';
  return [
    '| | count | meaning |',
    '| --- | --- | --- |',
    `| **proven** | ${proven} | An operation that a program of other authors calls in CI and whose answer it accepts. Such a program is an official SDK, or a library or tester of a protocol. |`,
    `| **not proven** | ${operations.size - proven} | An operation that a source describes and that only Understudy's own tests call. |`,
    `| **unknown** | ${rules.length} | A rule that no source states. Understudy does what seems most likely, and may differ from the service. |`,
    '',
    `"Proven" does not mean that the answers were compared with those of the service: a program may accept more than one answer. ${probes}`.trim(),
    '',
  ];
}

function programTable() {
  return [
    '## Programs that call Understudy in CI',
    '',
    '| program | version | last run | operations |',
    '| --- | --- | --- | --- |',
    ...programs.map(
      (each) => `| ${each.name} | ${each.version} | ${each.date} | ${each.operations.length} |`,
    ),
    '',
  ];
}

function areasOfRules() {
  const areas = new Set(rules.map(({ id }) => dirname(id)));
  return [...areas].flatMap((area) => [
    `### ${area}`,
    '',
    '| rule | what Understudy does | what is unknown | probe |',
    '| --- | --- | --- | --- |',
    ...rules
      .filter(({ id }) => dirname(id) === area)
      .map((each) => `| ${basename(each.id)} | ${cell(each.rule)} | ${cell(each.open)} | ${probeOf(each)} |`),
    '',
  ]);
}

const probeOf = ({ probe, no_probe }) => (probe ? 'yes' : cell(no_probe ?? 'not yet'));

function operationRows() {
  const rows = [...operations].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return rows.map(([id, evidence]) => {
    const callers = evidence.programs.map(({ name }) => name).join(', ') || evidence.uncalled || '';
    return `| ${id} | ${stateOf(evidence)} | ${cell(callers)} | ${evidence.rules.join(', ')} |`;
  });
}

/** Text in a cell of a table. */
function cell(text) {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
}

const README = 'README.md';
const FIGURES = /\d+ operations proven, \d+ not proven, \d+ unknown rules/;

for (const [file, written] of [
  [FILE, page()],
  [README, readFileSync(README, 'utf8').replace(FIGURES, figures())],
]) {
  if (!process.argv.includes('--check')) writeFileSync(file, written);
  else if (readFileSync(file, 'utf8') !== written)
    complaints.push(`${file} lags behind: npm run generate:docs`);
}
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
