import type { World } from '../../world/world.ts';
import { Redirect } from '../answer.ts';
import type { Ending } from '../connected-accounts/consent.ts';
import { addressOf, outcomeAddressOf, type Authorization } from './authorization.ts';

/** Sends the browser on: to its application, to be confirmed here, or to a page that says how it went. */
export function conclude(world: World, authorization: Authorization, ending: Ending): Redirect {
  const { location, auth_request_id, refusal } = ending;
  if (auth_request_id && !location) {
    world.account_authorizations.update(authorization.id, { auth_request_id });
    return askAgain(world, authorization);
  }
  world.account_authorizations.update(authorization.id, {
    status: statusOf(ending),
    ...refusal,
  });
  return goOn(location ?? `${world.baseUrl}${outcomeAddressOf(authorization)}`);
}

/** Back to the page of what is to be known next. */
export const askAgain = (world: World, authorization: Authorization) =>
  goOn(`${world.baseUrl}${addressOf(authorization)}`);

const goOn = (address: string) => new Redirect(address, { status: 303 });

function statusOf({ refusal }: Ending): Authorization['status'] {
  if (!refusal) return 'GRANTED';
  return refusal.error === 'access_denied' ? 'DENIED' : 'FAILED';
}
