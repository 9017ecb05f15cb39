import { globTest } from '../../text/glob.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { Passthrough } from '../answer.ts';
import { fillAny } from '../tools/tool-response.ts';
import { isObject } from '../../json-object.ts';

type Connection = Rows['connections'];
type Row = Rows['proxy_responses'];

export interface ProviderCall {
  method: string;
  path: string;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
}

/** What the provider says: by the row that fits best, else that it has got the call, and which. */
export function providerAnswer(world: World, connection: Connection, call: ProviderCall): Passthrough {
  const row = bestRow(world, connection, call);
  if (!row) return new Passthrough(200, {}, { ok: true, ...call });
  const params = { ...call.query, ...(isObject(call.body) && call.body) };
  const body = row.body === undefined ? undefined : fillAny(row.body, params, world);
  const text = typeof body === 'string' ? { 'content-type': 'text/plain; charset=utf-8' } : {};
  return new Passthrough(row.status, { ...text, ...ownHeaders(row) }, body);
}

function bestRow(world: World, { key_id, provider_key }: Connection, call: ProviderCall): Row | undefined {
  for (const target of [`connector ${key_id}`, `provider ${provider_key}`, 'any']) {
    const fitting = world.proxy_responses.list('target', target).filter((row) => fits(row, call));
    const [best] = fitting.toSorted((a, b) => exactness(b) - exactness(a));
    if (best) return best;
  }
  return undefined;
}

const fits = (row: Row, { method, path }: ProviderCall) =>
  (row.method === undefined || row.method === method) && globTest(row.path)(path);

const exactness = ({ path, method }: Row) => (path.includes('*') ? 0 : 2) + (method ? 1 : 0);

/** How long the answer is, and where it ends, is for our own server to say. */
const ownHeaders = ({ headers = {} }: Row) =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !['content-length', 'transfer-encoding', 'connection'].includes(name)),
  );
