import type { Env, Rows } from '@understudy/core/state/env';

type Tool = Rows['tools'];

/** What a refusal adds, so that its reader knows how to go on. */
export const ACCEPT_TOOLS = 'the setting tools.accept_unknown runs any tool';

const GENERIC_ID = 'tol_0';

/** A tool that takes any params and only tells what it was called with. No row has it. */
export const genericTool = (name: string, provider: string): Tool => ({
  id: GENERIC_ID,
  provider,
  definition: { name, description: '', input_schema: { type: 'object' } },
  tags: [],
  updated_at: '',
});

export const isGeneric = ({ id }: Tool): boolean => id === GENERIC_ID;

/** What follows a provider in the name of a tool, such as `.FETCH_MAILS` in `GMAIL.FETCH_MAILS`; empty if it does not begin so. */
const restAfter = (provider: string, name: string): string =>
  name.toLowerCase().startsWith(provider.toLowerCase()) ? name.slice(provider.length) : '';

/** The longest one wins. A connection may be of a provider that the environment does not have. */
export function providerInName(env: Env, name: string): string | undefined {
  const described = env.providers.list().map(({ id }) => id);
  const connected = env.connections.list().map(({ provider_key }) => provider_key);
  return [...new Set([...described, ...connected])]
    .filter((each) => /^[_.]/.test(restAfter(each, name)))
    .toSorted((a, b) => b.length - a.length)[0];
}
