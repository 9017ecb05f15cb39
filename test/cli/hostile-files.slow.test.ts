import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder, run } from '../support/process.ts';

/** At most 8 seconds of processor time, where the system has this program. */
const LIMITED = spawnSync('prlimit', ['--version']).status === 0 ? ['prlimit', '--cpu=8'] : [];

const DEEP = '['.repeat(1_000_000);
const LAYERS = Array.from({ length: 12 }, (_, i) => {
  const before = i === 0 ? 'x' : `*a${i - 1}`;
  return `a${i}: &a${i} [${Array(9).fill(before).join(',')}]`;
});
const BOMB = LAYERS.join('\n');
const PROBES = LAYERS.map((layer) => `- ${layer}`).join('\n');

const HEAD = { format: 1, service: 'http://localhost:1', began: '2026-01-01T00:00:00.000Z', understudy: '0' };
const exchange = (json: string) =>
  `{"n":1,"at":"2026-01-01T00:00:00.000Z","ended":"2026-01-01T00:00:00.000Z","protocol":"rest","request":{"method":"POST","path":"/api/v1/organizations","headers":{},"json":${json}},"response":{"status":200,"headers":{}}}\n`;
const BALANCED = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

const PULL = ['pull', '--from', 'http://localhost:1', '--client-id', 'a', '--client-secret', 'b'];
const AGAINST = ['--against', 'http://localhost:1'];

it.each<[string, Record<string, string>, string[], RegExp]>([
  [
    'a recording',
    { 'rec/recording.json': JSON.stringify(HEAD), 'rec/transcript.jsonl': exchange(BALANCED) },
    ['drift', 'rec'],
    /^understudy: rec\/transcript.jsonl:1: it is nested deeper than 200 levels\n$/,
  ],
  [
    'answers of probes',
    { 'answers.json': DEEP },
    ['drift', 'answers.json'],
    /^understudy: answers.json is no JSON: it is nested deeper than 200 levels\n$/,
  ],
  [
    'a shape',
    { 'shape.yaml': BOMB },
    ['drift', 'shape.yaml'],
    /^understudy: shape.yaml: line 1, column 1: Excessive alias count indicates a resource exhaustion attack\n$/,
  ],
  [
    'a shape without structure',
    { 'shape.yaml': 'format: 1\noperations: { A: { 200: 5 } }\nevents: { b: [] }\n' },
    ['drift', 'shape.yaml'],
    /^understudy: shape.yaml: A 200 is not the shape of an answer\n$/,
  ],
  [
    'probes',
    { 'mine.yaml': PROBES },
    ['drift', 'mine.yaml', ...AGAINST],
    /^understudy: mine.yaml: line 1, column 1: Excessive alias count indicates a resource exhaustion attack\n$/,
  ],
  [
    'probes of many levels',
    { 'mine.yaml': '- '.repeat(1_000_000) },
    ['drift', 'mine.yaml', ...AGAINST],
    /^understudy: mine.yaml: line 1, column \d+: is nested deeper than 100 levels\n$/,
  ],
  [
    'a fixture',
    { 'acme.json': DEEP },
    ['serve', '--memory', '--port', '0', '--fixture', './acme.json'],
    /^understudy: \.\/acme.json: it is nested deeper than 200 levels\n$/,
  ],
  [
    'a fixture to update',
    { 'acme.json': DEEP },
    [...PULL, '--out', 'acme.json', '--update'],
    /^understudy: acme.json: it is nested deeper than 200 levels\n$/,
  ],
  [
    'what a pull has read',
    { 'acme.json.partial': 'x\n' },
    [...PULL, '--out', 'acme.json'],
    /^understudy: acme.json.partial: it is of a pull with another --from/,
  ],
  [
    'a report of coverage',
    { 'coverage.json': DEEP },
    ['coverage', 'coverage.json'],
    /^understudy: coverage.json is not JSON: it is nested deeper than 200 levels\n$/,
  ],
  [
    'a config file',
    { 'understudy.config.yaml': `port: ${DEEP}` },
    ['config'],
    /^understudy: understudy.config.yaml:1:\d+: is nested deeper than 100 levels\n$/,
  ],
])('%s that cannot be read costs little and ends in one line', async (_, files, args, message) => {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'rec'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);

  const { code, stderr } = await run(args, { cwd, under: LIMITED });

  expect(stderr).toMatch(message);
  expect(code).toBeGreaterThan(0);
});
