import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pull, type PullOptions } from '../../src/commands/pull.ts';
import { KNOWN_CREDENTIALS } from '../../../../src/start/config.ts';
import type { Booted } from '../../../../test/support/boot.ts';
import { addressOf } from '../../../../test/support/listening.ts';

export interface Outcome {
  out: string;
  /** What the fixture says; undefined if the pull has failed. */
  text: string;
  /** The rows by collection. */
  rows: Record<string, Record<string, unknown>[]>;
  /** What the command told on stderr. */
  told: string[];
}

export const outFile = () => join(mkdtempSync(join(tmpdir(), 'pull-')), 'pulled.json');

/** Pulls from a simulator over HTTP, without a pause between calls. */
export async function pullFrom(
  source: Pick<Booted, 'understudy'> | string,
  wanted: Partial<PullOptions> = {},
  signal = new AbortController().signal,
): Promise<Outcome> {
  const told: string[] = [];
  const out = wanted.out ?? outFile();
  const terminal = {
    variables: {},
    platform: process.platform,
    out: () => {},
    err: (text: string) => void told.push(text.trimEnd()),
    fail: () => {},
  };
  const options = {
    from: typeof source === 'string' ? source : addressOf(source.understudy.app),
    clientId: KNOWN_CREDENTIALS.client_id,
    clientSecret: KNOWN_CREDENTIALS.client_secret,
    keep: [],
    seed: '1',
    pace: 0,
    ...wanted,
    out,
  };
  await pull(options, terminal, signal);
  const text = existsSync(out) ? readFileSync(out, 'utf8') : '';
  return { out, text, rows: JSON.parse(text) as Outcome['rows'], told };
}
