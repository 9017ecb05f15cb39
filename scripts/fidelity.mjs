// Writes docs/fidelity.md, a page for each area of guesses in docs/guesses/, and the figures in README.md: what is known to be as in the service, and what is not. With --check, fails if the page is out
// of date, or if evidence/ does not fit the code and the contract.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readEvidence, stateOf } from './evidence.mjs';
import { byName, cell, complainOf, grouped, lines, writePages } from './generated-pages.mjs';

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

/** How many operations have each state. */
const counts = { compared: 0, driven: 0, 'not driven': 0 };
for (const each of operations.values()) counts[stateOf(each)] += 1;

/** As on the first screen of README.md. */
const figures = () =>
  `${counts.compared} operations compared with the service, ${counts.driven} driven by outside programs, ${rules.length} rules guessed`;

const areas = [...grouped(rules, ({ id }) => dirname(id))].toSorted(byName);

function page() {
  return lines(
    '# How faithful is it?',
    '',
    'Task: find out whether you can rely on an answer of Understudy.',
    '',
    ...stateTable(),
    ...introduction(),
    ...programTable(),
    '## Guesses',
    '',
    'Each entry says what Understudy does, what is not known, and how a probe finds out, or why no probe can. No entry has',
    'evidence, because nobody has sent the results of a probe yet. The evidence of each operation is on the page of its area:',
    '[Supported operations](supported-operations.md).',
    '',
    '| area | guesses |',
    '| --- | --- |',
    ...areas.map(([area, found]) => `| [${area}](guesses/${area}.md) | ${found.length} |`),
  );
}

const areaPage = ([area, found]) =>
  lines(
    `# Guesses: ${area}`,
    '',
    '[How faithful is it?](../fidelity.md) says what a guess is.',
    '',
    ...found.flatMap((rule) => [`## ${rule.id}`, '', ...entryOf(rule), '']),
  ).replace(/\n\n$/, '\n');

function stateTable() {
  return [
    '| | count | meaning |',
    '| --- | --- | --- |',
    `| **compared** | ${counts.compared} | Operations whose answers agreed with a recording or a probe of the real service. |`,
    `| **driven** | ${counts.driven} | Operations that a program of other authors calls in CI and whose answers it accepts. Such a program is an official SDK, or a library or tester of a protocol. |`,
    `| **not driven** | ${counts['not driven']} | Operations that a source describes and that only Understudy's own tests call. |`,
    `| **guessed** | ${rules.length} | Rules that no source states. Understudy does what seems most likely, and may differ from the service. |`,
    '',
  ];
}

function introduction() {
  const probed = rules.filter(({ probe }) => probe).length;
  const decide = rules.filter(({ decides }) => decides).length;
  return [
    "Understudy's authors have no access to the real service. They know it from *sources*: the documentation, the SDKs and the",
    'API descriptions that the vendor publishes. An operation that is driven may still differ from the service, because a program',
    'may accept more than one answer.',
    '',
    `For ${probed} of the guesses there is a *probe*: calls that show what your own environment of the service does.`,
    '[Compare with the real service](probes.md) says how to run them.',
    '',
    `${decide} of the guesses decide single calls, such as a refusal. The journal notes the guess with each call that it decided, and`,
    'the dashboard and `understudy explain` name it first. The other guesses concern what many calls have in common, such as',
    'the form of an id, a default or a lifetime.',
    '',
    '<!-- not run: calls a running service -->',
    '',
    '```sh',
    'npx understudy-server explain       # the latest failed call: why it got its answer, and what is known about its operation',
    'npx understudy-server explain req_3 # the same for the call with this understudy-request-id',
    '```',
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

function entryOf({ id, rule, open, operations: concerned, probe, no_probe }) {
  const asked = probe
    ? `\`npx understudy-server probe --only ${id}\``
    : `none. ${cell(no_probe ?? 'Not yet.')}`;
  return [
    `${cell(rule)}`,
    '',
    `- Not known: ${cell(open)}`,
    ...(concerned.length > 0 ? [`- Operations: ${concerned.map((each) => `\`${each}\``).join(', ')}`] : []),
    `- Probe: ${asked}`,
  ];
}

const README = 'README.md';
const FIGURES = /\d+ operations compared with the service, \d+ driven by outside programs, \d+ rules guessed/;

const pages = new Map([
  [FILE, page()],
  ...areas.map((area) => [`docs/guesses/${area[0]}.md`, areaPage(area)]),
  [README, readFileSync(README, 'utf8').replace(FIGURES, figures())],
]);
complainOf([...complaints, ...writePages(pages, ['docs/guesses'])]);
