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
  const proven = provenOperations();
  const probed = rules.filter(({ probe }) => probe).length;
  const probes =
    probed > 0
      ? `${probed} of the unknown rules have a probe, which shows whether the service does the same: see [Compare with the real service](probes.md).`
      : '';
  return `${[
    '# How faithful is it?',
    '',
    "Understudy's authors cannot call the real service. This page says, for each operation and each rule, what Understudy's",
    'behaviour rests on. `npm run generate:docs` writes it from the contract, from the files in `evidence/` and from what',
    'programs that others wrote called in tests; `npm run check` fails if it is out of date.',
    '',
    '| | count | meaning |',
    '| --- | --- | --- |',
    `| **proven** | ${proven} | An operation that a program of somebody else calls, with an answer that the program accepts: an official SDK, or an outside tester of a protocol. |`,
    `| **not proven** | ${operations.size - proven} | An operation that a source of the service describes, and that only Understudy's own tests call. |`,
    `| **unknown** | ${rules.length} | A rule that no source of the service states. Understudy does what a user would expect, and may differ from the service. |`,
    '',
    `"Proven" does not mean compared with the service: a program accepts more than one answer. ${probes}`.trim(),
    '',
    ...programTable(),
    '## Rules that no source states',
    '',
    ...areasOfRules(),
    '## Operations',
    '',
    '| operation | evidence | called by, or why by nobody | unknown rules |',
    '| --- | --- | --- | --- |',
    ...operationRows(),
  ].join('\n')}\n`;
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
