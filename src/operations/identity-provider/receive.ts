import { OAuthError } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import { Redirect, type Answer } from '../answer.ts';
import { completeModular } from '../sign-in/complete-modular.ts';
import { fail } from '../sign-in/complete.ts';
import type { BrowserCookies } from '../sign-in/cookies.ts';
import { identify } from '../sign-in/identify.ts';
import { nextStep } from '../sign-in/steps.ts';
import type { Transaction } from '../sign-in/transaction.ts';
import type { ProviderAnswer } from './answer-form.ts';
import { connectionForEmail } from './home-realm.ts';
import { isSocial } from './social-connection.ts';
import { startAddress } from './start-address.ts';

interface Browser {
  cookies: BrowserCookies;
  status: 302 | 303;
}

/** The sign-in goes on with what the identity provider said. */
export function receive(
  world: World,
  transaction: Transaction,
  { identity, error = 'server_error', error_description = '' }: ProviderAnswer,
  { cookies, status }: Browser,
): Answer {
  if (!identity) return fail(world, transaction, error, error_description, status);
  if (!world.settings.get('settings').full_stack_auth)
    return completeModular(world, { ...transaction, identity }, status);
  const home = homeOf(world, transaction, identity.email);
  if (home) return new Redirect(startAddress(world, transaction, home), { status });
  try {
    return nextStep(world, identify(world, transaction, identity), cookies, status);
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown;
    return fail(world, transaction, thrown.error, thrown.message, status);
  }
}

/** Whose domain signs in with a provider of its own does so after a social one too (reference: login-and-tokens 4.2). */
function homeOf(world: World, { connection_id = '' }: Transaction, email: string) {
  const connection = world.connections.find(connection_id);
  return connection && isSocial(connection) ? connectionForEmail(world, email) : undefined;
}
