import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { asText, provider } from '../../../../test/support/scim.ts';

interface Recorded {
  does: string;
  /** Method and path below the directory's address. `{mia}`: an id that an earlier answer had. */
  call: string;
  body?: object;
  status: number;
  /** A part of the answer. */
  answer?: object;
  /** The name for the id in the answer. */
  keep?: string;
}

/**
 * Written after the public documentation of Okta and Entra ID. Google publishes no description of its requests: those are
 * written after pages of services that receive them.
 */
const recorded = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'recorded', `${name}.json`), 'utf8')) as Recorded[];

const filled = (text: string, ids: ReadonlyMap<string, string>): string =>
  text.replace(/\{(mia|max|group)\}/g, (_, name: string) => ids.get(name) ?? name);

describe.each(['okta', 'entra', 'google'])('%s', (name) => {
  it('pushes as its documentation says', async () => {
    const { scim } = await provider(await boot());
    const ids = new Map<string, string>();
    for (const { does, call, body, status, answer, keep } of recorded(name)) {
      const [verb = '', path = ''] = filled(call, ids).split(/ (.*)/);
      const request = scim[verb.toLowerCase() as keyof Agent](path);
      const got = await (body ? request.send(filled(asText(body), ids)) : request);

      expect([does, got.status, got.body]).toEqual([does, status, expect.anything()]);
      if (answer) expect(got.body, does).toMatchObject(JSON.parse(filled(asText(answer), ids)) as object);
      if (keep) ids.set(keep, got.body.id);
    }
  });
});
