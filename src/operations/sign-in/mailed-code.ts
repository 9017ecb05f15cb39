import { ApiError } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Answer } from '../answer.ts';
import { isActive } from '../identity-provider/home-realm.ts';
import { passwordlessConfig, passwordlessConnection } from '../passwordless/passwordless-config.ts';
import { beginRequest, redeem, renewRequest } from '../passwordless/requests.ts';
import type { Credential } from '../passwordless/credentials.ts';
import { goOn } from './steps.ts';
import { overBecause, pageOf, type Transaction } from './transaction.ts';

type Request = Rows['passwordless_requests'];

/** Whoever types an address proves it by mail, where the environment has a passwordless connection switched on. */
export function isMailed(world: World): boolean {
  const connection = passwordlessConnection(world);
  return connection !== undefined && isActive(connection);
}

/** What is in the mail, for the button that asks for it; undefined: nothing is mailed. */
export function mailedWhat(world: World): 'code' | 'link' | undefined {
  if (!isMailed(world)) return undefined;
  return passwordlessConfig(world).type === 'LINK' ? 'link' : 'code';
}

/** Sends the code or link, and the browser to where it is asked for. Throws `rate_limited`. */
export function mailCode(world: World, transaction: Transaction, email: string): Answer {
  const request = beginRequest(world, {
    email,
    template: transaction.sign_up ? 'SIGNUP' : 'SIGNIN',
    magiclink_auth_uri: `${world.baseUrl}/ui/link`,
  });
  const waiting = world.login_transactions.update(transaction.id, { passwordless_request_id: request.id });
  return goOn(world, waiting, pageOf(waiting, 'code'), 303);
}

/** What was mailed for the sign-in. */
export function requestOf(world: World, { passwordless_request_id = '' }: Transaction): Request {
  const request = world.passwordless_requests.find(passwordless_request_id);
  if (request) return request;
  throw overBecause('nothing was mailed for this sign-in: begin again');
}

/** The same mail again, or another one where too many wrong codes were tried. Throws `rate_limited`. */
export function mailAgain(world: World, transaction: Transaction): Answer {
  const request = requestOf(world, transaction);
  if (request.status === 'BLOCKED') return mailCode(world, transaction, request.email);
  renewRequest(world, request);
  return goOn(world, transaction, pageOf(transaction, 'code'), 303);
}

/** What is wrong with what was mailed, whatever is entered: no code helps any more. */
export function standingProblem({ status }: Request): string | undefined {
  if (status === 'BLOCKED') return 'too many wrong codes were entered: send the mail again for another one';
  return status === 'EXPIRED' ? 'code or link has expired: send it again' : undefined;
}

/** What is wrong with the credential, if anything is: wrong codes count. */
export function proofProblem(world: World, request: Request, credential: Credential): string | undefined {
  try {
    redeem(world, request, credential);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    return standingProblem(world.passwordless_requests.get(request.id)) ?? thrown.message;
  }
}
