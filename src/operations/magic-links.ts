import { ApiError } from '../contract/errors.ts';
import type { Input } from '../contract/types.ts';
import type { Env } from '../state/env.ts';
import type { CustomReply, Operations } from './handler.ts';

type OpenLink = (env: Env, token: string, cookies: Input<'MagicLink_Open'>['cookies']) => CustomReply;

/** Functions that open a link, by the suffix of its token, such as `_o`. */
export type Links = Readonly<Record<string, () => Promise<OpenLink>>>;

export async function magicLinks(links: Links) {
  const loaded = await Promise.all(
    Object.entries(links).map(async ([suffix, load]) => [suffix, await load()] as const),
  );
  const openers = new Map(loaded);
  return {
    MagicLink_Open({ path: { token }, cookies }, env) {
      const open = openers.get(token.slice(-2));
      if (!open)
        throw new ApiError('not_found', 'this link is unknown: ask for a new one', {
          why: { kind: 'unknown', says: 'no mail of this environment has the link, or the state was reset' },
        });
      return open(env, token, cookies);
    },
  } satisfies Partial<Operations>;
}
