import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { boot, packageFiles } from '../../../test/support/boot.ts';
import { BundleError, LIMITS, type Bundle } from '../src/format.ts';
import { readBundle } from '../src/read.ts';
import { restoreBundle } from '../src/restore.ts';
import { bytesOf, packed, story, unpacked } from './support/bundles.ts';

const NOW = '2030-01-01T00:00:00Z';

const read = (bytes: Uint8Array) => readBundle(bytes, packageFiles.control);

async function bundle(): Promise<Bundle> {
  const booted = await boot({ fixture: 'empty', now: NOW });
  await story(booted);
  const made = unpacked(await bytesOf(booted.control));
  for (const name of ['tools', 'providers']) (made.start.rows as Record<string, unknown>)[name] = [];
  return made;
}

/** The same numbers each time, so that a failure can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  2 ** 53,
  '',
  '../../etc/passwd',
  'a'.repeat(100_000),
  '\u0000\ud800',
  [],
  {},
  [[[[[[]]]]]],
  { toString: 1, constructor: null, length: 1e9 },
  JSON.parse('{"__proto__":{"polluted":true}}'),
  '2030-99-99T99:99:99Z',
  'NaN',
];

/** The value with something else in one place. */
function spoilt(value: unknown, random: (below: number) => number): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  let at: Record<string, unknown> = copy;
  for (;;) {
    const names = Object.keys(at);
    const name = names[random(names.length)]!;
    const next = at[name];
    const canEnter = typeof next === 'object' && next !== null && Object.keys(next).length > 0;
    if (canEnter && random(5) > 0) {
      at = next as Record<string, unknown>;
      continue;
    }
    const way = random(6);
    if (way === 0) delete at[name];
    else if (way === 1) at[`${name}/../x`] = next;
    else at[name] = HOSTILE[random(HOSTILE.length)];
    return copy;
  }
}

describe('a bundle from elsewhere', () => {
  it('is refused with a sentence, or opens: 200 spoilt ones crash nothing', async () => {
    const good = await bundle();
    const { understudy } = await boot({ fixture: 'empty', brokenContract: true });
    const random = numbers(44);
    let refused = 0;
    for (let count = 0; count < 200; count += 1) {
      const bytes = packed(spoilt(good, random));
      try {
        const environment = await restoreBundle(await read(bytes), understudy.controls);
        for (const entry of environment.journal.list()) environment.journal.view(entry);
      } catch (thrown) {
        expect(thrown, String((thrown as Error).stack)).toBeInstanceOf(BundleError);
        expect((thrown as Error).message).toMatch(/bundle/);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(120);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('is refused if its bytes are damaged, cut off or not compressed', async () => {
    const bytes = packed(await bundle());
    const random = numbers(45);
    for (let count = 0; count < 50; count += 1) {
      const broken = Buffer.from(bytes.subarray(0, random(2) === 0 ? random(bytes.length) : bytes.length));
      for (let flips = 0; flips < 3 && broken.length > 0; flips += 1)
        broken[random(broken.length)]! ^= 1 + random(255);
      await expect(read(broken)).rejects.toBeInstanceOf(BundleError);
    }
    await expect(read(Buffer.from('{}'))).rejects.toThrow('neither with gzip nor with Zstandard');
    await expect(read(gzipSync('no JSON'))).rejects.toThrow('the file is no bundle');
    await expect(read(gzipSync('{}'))).rejects.toThrow('the file is no bundle of Understudy');
  });

  it('is refused if it is a bomb, before anything is made of it', async () => {
    const bomb = gzipSync(Buffer.alloc(LIMITS.text + 1, '['));
    await expect(read(bomb)).rejects.toThrow('more than 128000000 bytes when it is unpacked');
    await expect(read(Buffer.alloc(LIMITS.file + 1))).rejects.toThrow('a bundle has at most 32000000');
    await expect(read(gzipSync('['.repeat(1_000_000)))).rejects.toThrow('nested deeper');
  });

  it('is refused if its format is newer, and names the version that reads it', async () => {
    const newer = { ...(await bundle()), version: 2, understudy: '9.1.0' };
    await expect(read(packed(newer))).rejects.toThrow(
      'the bundle has the format 2, and this Understudy reads up to 1: use Understudy 9.1.0 or later',
    );
  });

  it('is refused if a name has a slash, or a list is longer than it can be', async () => {
    const good = await bundle();
    const named = structuredClone(good);
    Object.assign(named.scenarios.copies[0]!.texts, { files: { '../../outside.yaml': '' } });
    await expect(read(packed(named))).rejects.toThrow(
      'a name in scenarios.copies[0].texts.files is not like',
    );
    const many = { ...good, stand_ins: Array.from({ length: LIMITS.standIns + 1 }, () => '') };
    await expect(read(packed(many))).rejects.toThrow('stand_ins is not a list of at most 200000 items');
  });

  it('is refused if a row breaks the contract', async () => {
    const good = await bundle();
    const [client] = good.start.rows['clients']! as unknown as { name?: unknown; secrets: unknown }[];
    client!.secrets = 'none';
    await expect(read(packed(good))).rejects.toThrow(/start\.rows\.clients\[0\]\.secrets/);
  });
});
