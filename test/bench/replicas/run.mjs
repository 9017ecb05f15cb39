// Compares one process, and two or three that share PostgreSQL. Processor time and ratios count: on a busy machine, calls per
// second and p99 say little.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printTable } from '../table.mjs';
import { costOfCalls } from './cost-of-calls.mjs';
import { BenchDatabase } from './database.mjs';
import { rollingRestart } from './rolling-restart.mjs';
import { startSetups } from './setups.mjs';

const PARTS = { calls: printCalls, restart: printRestart };

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

async function printRestart(database) {
  const found = await rollingRestart(await database.create(), database);
  const shown = [found.gap, found.taken, found.own, found.database].map((each) => `${each.toFixed(0)} ms`);
  console.log('\nA rolling restart of 2 replicas with 20 environments that are called all the time\n');
  printTable([
    ['calls', '503', 'broken', 'longest gap', 'in all', 'a new process', 'PostgreSQL'],
    [found.calls, found.refused, found.broken, ...shown].map(String),
  ]);
}
