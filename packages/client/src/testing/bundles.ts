import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ControlError } from '../control.ts';
import { beginningOf } from '@understudy/text/json';
import type { EndedTest } from './kept-tests.ts';
import type { TestEnvironment } from './understudy.ts';

/** Bundles of one run. A run has several processes, which share the folder. */
const MOST = 50;
const LONGEST = { name: 1000, file: 1000, failure: 10_000, fileName: 100 } as const;

/** The files that this process has written, with the tests that they are for. */
const written = new Map<string, string>();

/** Where bundles of failed tests go; undefined: nowhere. */
function folderOfBundles(): string | undefined {
  const { UNDERSTUDY_BUNDLES: said = '' } = process.env;
  return said === 'off' ? undefined : said || 'test-results';
}

/** The run of a failed test. */
interface WrittenBundle {
  /** One line for whoever reads the output of the tests. */
  line: string;
  /** Its file; undefined if it could not be written. */
  file?: string;
}

/** Writes the run of a failed test to a file. Resolves to nothing if none is wanted, or there are 50 of this run. */
export async function bundleOf(env: TestEnvironment, ended: EndedTest): Promise<WrittenBundle | undefined> {
  const folder = folderOfBundles();
  if (folder === undefined || countIn(folder) >= MOST) return undefined;
  const { test, file, failure } = ended;
  const cut = (text: string | undefined, length: number) => text && beginningOf(text, length);
  try {
    const bytes = await env.bundle({
      test: beginningOf(test, LONGEST.name),
      file: cut(file, LONGEST.file),
      failure: cut(failure, LONGEST.failure),
    });
    const place = placeFor(folder, test);
    mkdirSync(folder, { recursive: true });
    writeFileSync(place, bytes);
    return { line: `the run: npx understudy-server open ${place}`, file: place };
  } catch (thrown) {
    if (thrown instanceof ControlError && thrown.status === 404) return undefined; // the test itself has dropped it
    return { line: `no bundle of the run: ${(thrown as Error).message}` };
  }
}

/** What a test that failed has said, without the colours of a terminal. */
export const messageOf = (thrown: unknown): string =>
  // oxlint-disable-next-line no-control-regex -- these characters are meant
  (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\u001b\[[\d;]*m/g, '');

/** The same for the same test in each run. */
function placeFor(folder: string, test: string): string {
  const words = test.replace(/[^\p{L}\p{N}.]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
  const name = words.slice(-LONGEST.fileName).replace(/^[-.]+/, '') || 'test';
  for (let count = 1; ; count += 1) {
    const place = path.join(folder, `${name}${count === 1 ? '' : `-${count}`}.understudy`);
    const other = written.get(place);
    if (other !== undefined && other !== test) continue;
    written.set(place, test);
    return place;
  }
}

/** The bundles in the folder that were written since this process began. */
function countIn(folder: string): number {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.understudy'));
    return names.filter((name) => statSync(path.join(folder, name)).mtimeMs >= performance.timeOrigin).length;
  } catch {
    return 0; // there is no such folder yet
  }
}
