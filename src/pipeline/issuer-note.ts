import type { Environment } from '../environment/environment.ts';
import { ApiError } from '../errors.ts';
import type { Entry } from '../journal/entry.ts';
import { isObject } from '../text/json.ts';
import type { Operation } from '../contract/compiled.ts';
import type { Call } from './call.ts';

interface AnsweredCall {
  call: Call;
  environment: Pick<Environment, 'addresses'>;
  entry: Entry;
  operation: Operation;
  request: { body: unknown };
}

/**
 * Notes in the journal that tokens were issued at one address of Understudy and the keys fetched at another. A program
 * that expects the address it calls as issuer refuses such tokens, often without a reason, and no call shows that.
 */
export function noteIssuer(answered: AnsweredCall, result: unknown): void {
  const { call, environment, entry, operation, request } = answered;
  if (result instanceof ApiError) return;
  const { addresses } = environment;
  if (operation.base === 'OAuth_Keys') addresses.keys = call.baseUrl;
  else if (operation.base === 'OAuth_Token' && !isOwn(request.body)) addresses.issuer = call.baseUrl;
  else return;
  const { issuer, keys } = addresses;
  if (issuer !== undefined && keys !== undefined && issuer !== keys)
    entry.notes = [...entry.notes, differing(issuer, keys)];
}

/** SDKs get a token for themselves wherever they call. They do not verify it. */
const isOwn = (form: unknown): boolean => isObject(form) && form['grant_type'] === 'client_credentials';

const differing = (issuer: string, keys: string) =>
  `the latest tokens have the issuer ${issuer}, and the keys were fetched at ${keys}: a program that expects ` +
  `${keys} as issuer refuses these tokens. Use one address everywhere, also in copied metadata, or set --base-url`;
