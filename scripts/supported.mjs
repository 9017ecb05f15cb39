// Writes docs/supported-operations.md and a page for each area in docs/operations/. With --check, fails if one is out of date, or if
// an operation answers no success.
import { readFileSync } from 'node:fs';
import { nameOf, readEvidence, stateOf } from './evidence.mjs';
import { byName, cell, complainOf, grouped, lines, writePages } from './generated-pages.mjs';
import { slugOf } from './markdown.mjs';

const VERBS = ['get', 'put', 'post', 'delete', 'patch'];

const { paths } = JSON.parse(readFileSync('dist/openapi.json', 'utf8'));
const operations = new Map();
for (const [path, item] of Object.entries(paths)) {
  for (const verb of VERBS.filter((each) => item[each])) {
    const { operationId, summary, responses, tags = ['other'] } = item[verb];
    const isBuilt = Object.keys(responses).some((status) => status < 400);
    const id = operationId.replace(/\d+$/, '');
    const known = operations.get(id) ?? { summary, isBuilt, area: tags[0], calls: [] };
    known.calls.push(`\`${verb.toUpperCase()} ${path}\``);
    operations.set(id, known);
  }
}
const evidence = readEvidence(new Set(operations.keys())).operations;
const areas = [...grouped([...operations].toSorted(byName), ([, { area }]) => area)].toSorted(byName);

const missing = [...operations].filter(([, { isBuilt }]) => !isBuilt).map(([id]) => id);
complainOf([
  ...writePages(
    new Map([
      ['docs/supported-operations.md', overview()],
      ...areas.map(([area, found]) => [`docs/operations/${slugOf(area)}.md`, page(area, found)]),
    ]),
    ['docs/operations'],
  ),
  ...missing.map((id) => `${id} answers no success`),
]);

function overview() {
  return lines(
    '# Supported operations',
    '',
    `Understudy simulates ${operations.size} operations, all that the service is known to have. The page of an area lists its operations by`,
    'the name that scenarios, the journal and coverage use, with their calls and what is known about each.',
    '',
    '| area | operations |',
    '| --- | --- |',
    ...areas.map(([area, found]) => `| [${area}](operations/${slugOf(area)}.md) | ${found.length} |`),
  );
}

function page(area, found) {
  return lines(
    `# Operations: ${area}`,
    '',
    '[How faithful is it?](../fidelity.md) says what *compared*, *driven* and *guess* mean.',
    '',
    '| operation | calls | does | evidence | guesses |',
    '| --- | --- | --- | --- | --- |',
    ...found.map(([id, { summary, calls }]) => {
      const known = evidence.get(id);
      return `| ${id} | ${calls.join('<br>')} | ${summary} | ${evidenceOf(known)} | ${known.rules.map(linkOf).join(', ')} |`;
    }),
  );
}

function evidenceOf(known) {
  const callers = known.programs.map(nameOf).join(', ') || known.uncalled || '';
  return `${stateOf(known)}: ${cell(callers)}`;
}

/** The heading of a guess, as GitHub names it. */
function linkOf(id) {
  return `[${id}](../guesses/${id.split('/')[0]}.md#${slugOf(id)})`;
}
