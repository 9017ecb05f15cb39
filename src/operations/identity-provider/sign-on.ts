import { ApiError, invalidArgument, notFound } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { Redirect, type Answer } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { fail } from '../sign-in/complete.ts';
import type { BrowserCookies } from '../sign-in/cookies.ts';
import { logSignIn } from '../sign-in/sign-in-log.ts';
import {
  destinations,
  openTransaction,
  submittedTransaction,
  type Transaction,
} from '../sign-in/transaction.ts';
import { readAnswer, type Filled, type Problems } from './answer-form.ts';
import { customLogin } from './custom-login.ts';
import { isActive } from './home-realm.ts';
import { launchpadLink } from './launchpad-page.ts';
import { providerPage } from './provider-page.ts';
import { receive } from './receive.ts';
import { connectionAt, sendBack, takeAnswer, tokenInSaml } from './round-trip.ts';

type Connection = Rows['connections'];

/** From a sign-in to the identity provider, which is a page of ours, and back. */
export const signOn = {
  IdentityProvider_Start({ path, query, cookies }, world) {
    const connection = connectionAt(world, path);
    const begun = openTransaction(world, sought(query.auth_request_id, 'auth_request_id'), cookies);
    // What another provider has said before is not this one's answer.
    const at = { connection_id: connection.id, provider_answer: undefined };
    const transaction = world.login_transactions.update(begun.id, at);
    if (!isActive(connection))
      return fail(world, transaction, 'connection_not_active', `connection ${connection.id} is not active`);
    logSignIn(world, transaction, 'PENDING');
    if (connection.custom_login_uri) return customLogin(world, transaction, connection);
    return new Redirect(pageOf(world, transaction));
  },

  IdentityProvider_Show({ path, cookies }, world) {
    return showProvider(world, openTransaction(world, path.transaction_id, cookies));
  },

  IdentityProvider_Answer({ path, cookies, body = {} }, world) {
    const transaction = submittedTransaction(world, path.transaction_id, cookies, body);
    const connection = connectionOf(world, transaction);
    const answer = readAnswer(connection, body);
    if ('problems' in answer) return showProvider(world, transaction, body, answer.problems);
    return sendBack(world, transaction, connection, answer);
  },

  IdentityProvider_Return({ path, query, cookies }, world) {
    const { code, state } = query;
    return comeBack(world, connectionAt(world, path), { id: state, token: code }, { cookies, status: 302 });
  },

  IdentityProvider_ReturnSaml({ path, body = {}, cookies }, world) {
    const token = tokenInSaml(body.SAMLResponse ?? '');
    const brought = { id: body.RelayState, token };
    return comeBack(world, connectionAt(world, path), brought, { cookies, status: 303 });
  },
} satisfies Partial<Operations>;

function sought(value: string | undefined, name: string): string {
  if (!value) throw invalidArgument(`${name} is missing: begin at the application`);
  return value;
}

const pageOf = ({ baseUrl }: World, { id }: Transaction) => `${baseUrl}/ui/identity-provider/${id}`;

function connectionOf(world: World, { id, connection_id = '' }: Transaction): Connection {
  const connection = world.connections.find(connection_id);
  if (!connection) throw notFound('identity provider', `of sign-in ${id}`);
  return connection;
}

function showProvider(world: World, transaction: Transaction, filled?: Filled, problems?: Problems): Answer {
  const { csrf_token, login_hint, client_id } = transaction;
  const connection = connectionOf(world, transaction);
  return providerPage(world, {
    connection,
    action: `/ui/identity-provider/${transaction.id}`,
    csrf_token,
    purpose: `To go on to ${world.clients.get(client_id).name}`,
    leadsTo: destinations(world, transaction),
    filled: filled ?? { ...(login_hint && { email: login_hint }) },
    ...(problems && { problems }),
    below: launchpadLink(world, connection),
  });
}

interface Brought {
  id: string | undefined;
  token: string | undefined;
}

function comeBack(
  world: World,
  connection: Connection,
  { id, token }: Brought,
  browser: { cookies: BrowserCookies; status: 302 | 303 },
): Answer {
  const transaction = openTransaction(world, sought(id, 'state'), browser.cookies);
  if (transaction.connection_id !== connection.id)
    throw new ApiError('permission_denied', 'this answer is for another connection: begin again');
  return receive(world, transaction, takeAnswer(world, transaction, token), browser);
}
