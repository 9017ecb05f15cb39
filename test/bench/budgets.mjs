// Prints the table of budgets: figures of this machine, and ratios to a baseline of the same run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  creating,
  firstAnswer,
  journal,
  listing,
  manyEnvironments,
  matching,
  memory,
  throughput,
  envs,
} from './measures.mjs';
import { history } from './history.mjs';
import { rpc } from './rpc.mjs';
import { printTable } from './table.mjs';
import { longestTurn } from './turns.mjs';
import { listening } from './webhooks.mjs';

const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
const fixture = (organizations) => {
  const file = join(folder, `${organizations}.json`);
  const size = ['--organizations', String(organizations), '--users', '0', '--out', file];
  execFileSync(process.execPath, ['dist/understudy.js', 'fixtures', 'generate', ...size]);
  return file;
};

try {
  const [small, large] = [fixture(100), fixture(100_000)];
  const used = await memory();
  const rpcs = await rpc();
  const webhooks = await listening();
  const turns = await longestTurn();
  const past = await history();
  const rows = [
    ['start to first answer', 'at most 1.2 x bare', ...ratio(await firstAnswer(), (r) => r <= 1.2)],
    ['GET one, 16 connections', 'at least 0.8 x bare', ...ratio(await throughput(), (r) => r >= 0.8)],
    ['GET one, with a journal', 'at least 0.9 x without', ...ratio(await journal(), (r) => r >= 0.9)],
    ['1 000 rules that do not match', 'at most 1.1 x none', ...ratio(await matching(), (r) => r <= 1.1)],
    ['RPC, processor time', 'at most 1.5 x REST', ...ratio(rpcs.rest, (r) => r <= 1.5)],
    ['the same', 'the library alone', ...ratio(rpcs.library, () => true).slice(0, 3), ''],
    [
      'list 10 of 100 000',
      'at most 1.5 x of 100',
      ...ratio(await listing({ small, large }), (r) => r <= 1.5),
    ],
    [
      'create at 100 000 rows',
      'at most 1.5 x at 100',
      ...ratio(await creating({ small, large, folder }), (r) => r <= 1.5),
    ],
    ...(await envs({ small, large })).map(({ name, value, against, ratio: figure, figure: taken }) => [
      `${name} at 100 000 rows`,
      'at most 2 ms',
      value,
      against,
      figure.toFixed(2),
      taken <= 2 ? 'within' : 'over',
    ]),
    ['p99 of create, slow webhook', 'at most 1.2 x none', ...ratio(webhooks.p99, (r) => r <= 1.2)],
    ['the same, processor time', 'no webhook', ...ratio(webhooks.cpu, () => true).slice(0, 3), ''],
    ['20 000 deliveries waiting', 'no webhook', ...ratio(webhooks.memory, () => true).slice(0, 3), ''],
    [
      'longest turn',
      'at most 100 ms',
      turns.value,
      turns.against,
      '',
      turns.figure <= 100 ? 'within' : 'over',
    ],
    ['history, 10 000 commits ago', 'at most 50 ms', ...figure(past.moment, 50)],
    ['the same, longest turn', 'at most 20 ms', ...figure(past.turn, 20)],
    ['history of 20 000 commits', 'at most 120 MB', ...figure(past.memory, 120)],
    ['1 000 environments', 'at most 200 MB more', ...figure(await manyEnvironments(), 200)],
    ['idle memory', 'at most 100 MB', ...figure(used.idle, 100)],
    ['after every operation', 'at most 160 MB', ...figure(used.used, 160)],
  ];
  printTable([['what', 'budget', 'measured', 'against', 'ratio', ''], ...rows]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function ratio({ value, against, ratio: figure }, isWithin) {
  return [value, against, figure.toFixed(2), isWithin(figure) ? 'within' : 'over'];
}

function figure({ value, figure: measured }, most) {
  return [value, '', '', measured <= most ? 'within' : 'over'];
}
