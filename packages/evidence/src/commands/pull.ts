import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Contract } from '@understudy/core/contract/contract';
import { readContract } from '@understudy/core/contract/documents';
import { FileError, PACKAGE_ROOT, readRegularFile, writeTextFile } from '@understudy/text/files';
import { Obstacle, type Service } from '../probes/caller.ts';
import { checkRows, fixtureText, withoutDangling, type Rows } from '../pull/fixture-rows.ts';
import { PartialFile } from '../pull/partial-file.ts';
import { Pull } from '../pull/pull.ts';
import { mergedWith, readPulledFile, type PulledFile } from '../pull/update.ts';
import { UsageError } from '@understudy/core/cli/usage-error';
import { emptySettings } from '@understudy/core/fixtures/empty-settings';
import type { Terminal } from '@understudy/core/parts';

export interface PullOptions {
  from: string;
  clientId: string;
  clientSecret: string;
  out: string;
  keep: string[];
  seed: string;
  update?: true;
  /** In milliseconds. */
  pace: number;
}

/** How often a call without an answer is made again: after 1, 2, 4 and 8 seconds. */
const PATIENCE = 4;

/** `understudy pull`: reads an environment into a fixture. */
export async function pull(options: PullOptions, { err }: Terminal, signal: AbortSignal): Promise<void> {
  const { out, seed, keep } = options;
  const service = serviceOf(options, signal);
  const earlier = earlierFile(options);
  const partial = new PartialFile(`${out}.partial`, originOf(options));
  if (partial.size > 0) err(`${partial.path} has ${partial.size} lists already\n`);
  const control = new Contract(readContract('control'));
  const contract = new Contract(readContract('openapi'));
  const told = (line: string) => err(`${line}\n`);
  const request = { service, seed, keep, contract, control, shipped: shippedRows(), partial, told };
  const { rows, refusals, unread } = await new Pull(request).run().catch((thrown: unknown) => {
    if (!(thrown instanceof Obstacle)) throw thrown;
    throw new UsageError(`${thrown.message}. The same command goes on from ${partial.path}`);
  });
  for (const refusal of refusals) told(`not read: ${refusal}`);
  const whole = withoutDangling(withSettings(mergedWith(earlier, rows, unread)));
  for (const line of whole.left) told(line);
  checkRows(whole.rows, control, out);
  writeWhole(out, fixtureText({ description: describe(keep), ...earlier?.head }, whole.rows));
  partial.remove();
  told(`${out}: ${summaryOf(whole.rows)}`);
}

function serviceOf({ from, clientId, clientSecret, pace }: PullOptions, signal: AbortSignal): Service {
  if (!/^https?:\/\/[^/?#]+\/?$/.test(from))
    throw new UsageError(
      `--from must be the address of an environment, such as https://acme.scalekit.dev, not ${from}`,
    );
  return {
    url: from.replace(/\/$/, ''),
    clientId,
    clientSecret,
    pace,
    limit: Infinity,
    patience: PATIENCE,
    signal,
    fetch,
    // A stop ends the wait; the next call then does not start.
    wait: (milliseconds) => sleep(milliseconds, undefined, { signal }).catch(() => {}),
  };
}

/** What a file must share with a pull that goes on with it. Nothing can be learned from it. */
function originOf({ from, clientId, seed, keep }: PullOptions): string {
  const text = JSON.stringify([from.replace(/\/$/, ''), clientId, [...new Set(keep)].toSorted()]);
  return createHmac('sha256', seed).update(text).digest('hex');
}

function earlierFile({ out, update }: PullOptions): PulledFile | undefined {
  if (!existsSync(out)) return undefined;
  if (!update) throw new UsageError(`${out} exists; --update merges into it`);
  return readPulledFile(out, readRegularFile(out));
}

/** A reader never meets half a file. */
function writeWhole(out: string, text: string): void {
  writeTextFile(`${out}.new`, text);
  try {
    renameSync(`${out}.new`, out);
  } catch (thrown) {
    throw new FileError(out, (thrown as Error).message);
  }
}

const shippedRows = (): Rows =>
  JSON.parse(readFileSync(join(PACKAGE_ROOT, 'fixtures/catalogue.json'), 'utf8')) as Rows;

/** The settings that no list gives are those of the fixture `empty`. */
function withSettings(rows: Rows): Rows {
  const settings = [{ id: 'settings', ...emptySettings()[0], ...rows.settings?.[0] }];
  return { ...rows, settings };
}

const describe = (keep: readonly string[]): string =>
  keep.length === 0
    ? 'Pulled from an environment. Names, addresses and texts are stand-ins.'
    : `Pulled from an environment. Names, addresses and texts are stand-ins, except ${keep.join(', ')}.`;

const summaryOf = (rows: Rows): string =>
  Object.entries(rows)
    .map(([collection, list]) => `${list.length} ${collection}`)
    .join(', ');
