// A second process for folder-owner.slow.test.ts. It owns a folder, writes commits to it until it is killed,
// or owns it and exits.
import { takeOwnership } from '../../src/store/folder-owner.ts';
import { openFolder } from '../../src/store/store.ts';

const [, , task, folder = ''] = process.argv;

async function own(): Promise<void> {
  try {
    await takeOwnership(folder);
    process.stdout.write('owned\n');
    if (task === 'own') setInterval(() => {}, 1000);
  } catch (thrown) {
    process.stdout.write(`${String(thrown)}\n`);
  }
}

async function write(): Promise<void> {
  const store = await openFolder(folder, { warn: () => {} });
  const env = await store.open('default');
  const counter = (n: number) => ({ id: `n_${n}`, note: 'x'.repeat(n % 500) });
  const rows = [];
  for (let n = 0; ; n++) {
    rows.push(counter(n));
    env.append({ changes: [{ collection: 'counters', id: `n_${n}`, row: counter(n) }], marks: n });
    process.stdout.write(`${n}\n`);
    if (n % 200 === 0) void env.fold({ marks: n, collections: { counters: [...rows] } });
    if (n % 20 === 0) await new Promise(setImmediate);
  }
}

await (task === 'write' ? write() : own());
