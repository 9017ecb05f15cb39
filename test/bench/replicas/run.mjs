// Compares one process and two that share PostgreSQL. Processor time and ratios count: on a busy machine, calls per
// second and p99 say little.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printTable } from '../table.mjs';
import { costOfCalls } from './cost-of-calls.mjs';
import { BenchDatabase } from './database.mjs';
import { rollingRestart } from './rolling-restart.mjs';
import { startSetups } from './setups.mjs';
import { takeOver } from './take-over.mjs';

const PARTS = { calls: printCalls, 'take-over': printTakeOver, restart: printRestart };

/** `wanted`: names of parts; all of them if there is none. */
export async function compareReplicas(wanted) {
  const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0)
    throw new Error(`no part ${unknown.join(', ')}: there are ${Object.keys(PARTS).join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
  const database = await BenchDatabase.start();
  // PostgreSQL runs in the background and would go on.
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void database.stop().finally(() => process.exit(1)));
  try {
    for (const [name, print] of Object.entries(PARTS))
      if (wanted.length === 0 || wanted.includes(name)) await print(database, folder);
  } finally {
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function printCalls(database, folder) {
  console.log('A call: processor time of Understudy and of PostgreSQL; what it has stored in PostgreSQL');
  const { setups, stop } = await startSetups(database, folder);
  try {
    for await (const rows of costOfCalls(setups, database)) {
      console.log();
      printTable([COLUMNS, ...rows.map(cellsOf)]);
    }
  } finally {
    await stop();
  }
}

const COLUMNS = [
  'call',
  'callers',
  'setup',
  'calls/s',
  'p99',
  'Understudy',
  'PostgreSQL',
  'statements',
  'WAL',
];

const cellsOf = ({ kind, callers, name, rate, p99, own, database, statements, wal }) => [
  kind,
  String(callers),
  name,
  rate.toFixed(0),
  `${p99.toFixed(1)} ms`,
  `${own.toFixed(3)} ms`,
  `${database.toFixed(3)} ms`,
  statements.toFixed(2),
  `${wal.toFixed(0)} B`,
];

async function printTakeOver(database, folder) {
  console.log('\nA take-over after kill -9: until all environments are served, and its processor time\n');
  const rows = [];
  for (const [organizations, commits, others] of [
    [100, 10, 0],
    [100_000, 10, 0],
    [100, 9000, 0],
    [100, 10, 200],
  ]) {
    const fixture = join(folder, `${organizations}.json`);
    const size = ['--organizations', String(organizations), '--users', '0', '--out', fixture];
    execFileSync(process.execPath, ['dist/understudy.js', 'fixtures', 'generate', ...size]);
    const found = await takeOver(database, { fixture, commits, others });
    const shown = [found.taken, found.lease, found.own, found.database].map(
      (each) => `${each.toFixed(0)} ms`,
    );
    rows.push([String(organizations), String(commits), String(others + 1), ...shown]);
  }
  const heading = [
    'rows',
    'changes since',
    'environments',
    'until served',
    'lease',
    'Understudy',
    'PostgreSQL',
  ];
  printTable([heading, ...rows]);
}

async function printRestart(database) {
  const found = await rollingRestart(await database.create(), database);
  const shown = [found.gap, found.taken, found.own, found.database].map((each) => `${each.toFixed(0)} ms`);
  console.log('\nA rolling restart of 2 replicas with 20 environments that are called all the time\n');
  printTable([
    ['calls', '503', 'broken', 'longest gap', 'in all', 'a new process', 'PostgreSQL'],
    [found.calls, found.refused, found.broken, ...shown].map(String),
  ]);
}
