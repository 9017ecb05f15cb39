import type { Input } from '../../contract/types.ts';
import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { ApiError, invalidArgument, notFound } from '../../errors.ts';
import { carrying } from '../environment-prefix.ts';
import { deviceIn, type BrowserCookies } from './device.ts';
import { logSignIn } from './sign-in-log.ts';

export type Transaction = Rows['login_transactions'];

/** Unverified: the service documents no number. */
const LIFETIME = 30 * 60_000;

type Wanted = Omit<
  Transaction,
  'id' | 'status' | 'browser_secret' | 'csrf_token' | 'created_at' | 'expires_at'
>;

/** Begins a sign-in; a browser that has begun one before keeps its secret, so that two tabs can be open. */
export function beginTransaction(
  env: Env,
  wanted: Wanted,
  { understudy_login }: BrowserCookies,
): Transaction {
  const known = understudy_login && /^[\w.-]{20,120}$/.test(understudy_login) ? understudy_login : undefined;
  const transaction = env.login_transactions.insert({
    ...wanted,
    id: carrying(env, env.draw.id('req')),
    status: 'PENDING',
    browser_secret: known ?? carrying(env, env.draw.text(32)),
    csrf_token: env.draw.text(32),
    created_at: env.clock.iso(),
    expires_at: env.clock.after(LIFETIME),
  });
  logSignIn(env, transaction, 'INITIATED');
  return transaction;
}

/** The sign-in that a page belongs to, in the browser that began it. Throws for any other, and for one that is over. */
export function openTransaction(env: Env, id: string, cookies: BrowserCookies): Transaction {
  const transaction = env.login_transactions.find(id);
  if (!transaction) throw notFound('sign-in', id);
  if (transaction.browser_secret !== cookies.understudy_login)
    throw new ApiError('permission_denied', 'this sign-in was begun in another browser: begin again');
  refuseOver(transaction);
  return transaction;
}

/** Throws `gone` for a sign-in that has come to its end. */
export function refuseOver({ status }: Transaction): void {
  if (status !== 'PENDING')
    throw overBecause(`this sign-in is ${status.toLowerCase()}: begin again in the application`);
}

export const overBecause = (message: string): ApiError =>
  new ApiError('gone', message, { title: 'This sign-in is over' });

/** As `openTransaction`, for a form: it must be one of ours. */
export function submittedTransaction(
  env: Env,
  id: string,
  cookies: BrowserCookies,
  form: { csrf_token?: string } | undefined,
): Transaction {
  const transaction = openTransaction(env, id, cookies);
  if (form?.csrf_token !== transaction.csrf_token)
    throw invalidArgument('the form was not sent from its page: load the page again');
  return transaction;
}

/** The address of a page of the sign-in. */
export const pageOf = ({ id }: Transaction, page?: 'sign-up' | 'code' | 'code/resend' | 'organization') =>
  page === undefined ? `/ui/login/${id}` : `/ui/login/${id}/${page}`;

/** Where a form of the sign-in may lead to: the application, or a login page that is somebody's own. */
export const destinations = (env: Env, { redirect_uri }: Transaction): string[] => [
  redirect_uri,
  ...env.connections.list('custom_login', 'yes').flatMap(({ custom_login_uri }) => custom_login_uri ?? []),
];

type Asked = Input<'OAuth_Authorize'>['query'];
type Told = Input<'OAuth_Authorize'>['headers'];

/** What an authorization request says of who signs in, where and how, and from which device. */
export function wantedOf(asked: Asked, headers: Told) {
  const { organization_id, connection_id, provider, login_hint } = asked;
  const domain = asked.domain_hint || asked.domain;
  return {
    ...(login_hint && { login_hint }),
    ...(organization_id && { wanted_organization_id: organization_id }),
    ...(connection_id && { wanted_connection_id: connection_id }),
    ...(provider && { wanted_provider: provider }),
    ...(domain && { wanted_domain: domain }),
    ...(asked.understudy_auto === '1' && { is_automatic: true }),
    device: deviceIn(headers),
  } satisfies Partial<Transaction>;
}
