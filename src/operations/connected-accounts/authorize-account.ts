import type { components } from '../../contract/control.gen.ts';
import { failedPrecondition, invalidArgument } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { viewAccount } from './account-view.ts';
import {
  confirmUser,
  grantAccess,
  holdBack,
  isByConsent,
  pendingRequest,
  refuseAccess,
  verificationOf,
  verifyUrl,
  type Ending,
  type WayBack,
} from './consent.ts';
import { givenDetails } from './given-credentials.ts';
import { DENIED, failureNamed } from './third-party.ts';

type Account = Rows['connected_accounts'];
type Wanted = components['schemas']['AccountAuthorization'];

/** What the end user would do on the pages, in one go. */
export function authorizeAccount(world: World, id: string, wanted: Wanted) {
  const account = world.connected_accounts.get(id);
  refuseContradictions(wanted);
  const ending = endingOf(world, account, wanted, wayBack(world, account, wanted.user_verify));
  const { location, auth_request_id, refusal } = ending;
  return {
    connected_account: viewAccount(world, ending.account),
    ...(location && { redirect: location }),
    ...(auth_request_id && { auth_request_id }),
    ...refusal,
  };
}

function endingOf(world: World, account: Account, wanted: Wanted, way: WayBack): Ending {
  if (wanted.outcome === 'denied') return refuseAccess(world, account, DENIED, way);
  if (wanted.outcome === 'failed') return refuseAccess(world, account, failureNamed(wanted.error), way);
  const details = givenDetails(world, account, wanted.credentials);
  const verification = verificationOf(world, way);
  const isConfirmed = isByConsent(account) && verification !== 'off';
  if (!isConfirmed) return grantAccess(world, account, details, way);
  if (wanted.user_verify?.confirm) {
    const { auth_request_id } = holdBack(world, account, details);
    return confirmUser(world, pendingRequest(world, auth_request_id));
  }
  if (verification === 'custom' && !verifyUrl(world, way)) throw nowhereToGo();
  return grantAccess(world, account, details, way);
}

const nowhereToGo = () =>
  failedPrecondition(
    'user_verify.url: the application confirms users here, and neither a link of the account nor the settings say where; give it, or confirm: true',
  );

function refuseContradictions({ outcome = 'granted', error, credentials }: Wanted): void {
  if (error !== undefined && outcome !== 'failed')
    throw invalidArgument(`error: ${error} is for the outcome failed, not ${outcome}`);
  if (credentials !== undefined && outcome !== 'granted')
    throw invalidArgument(`credentials: they are for the outcome granted, not ${outcome}`);
}

/** The latest open link is used up; what the caller says goes before what it says. */
function wayBack(world: World, { id }: Account, given: Wanted['user_verify'] = {}): WayBack {
  const open = world.magic_links
    .list('connected_account_id', id)
    .filter(({ used_at, expires_at }) => !used_at && !world.clock.isPast(expires_at));
  const link = open.at(-1);
  if (link) world.magic_links.update(link.id, { used_at: world.clock.iso() });
  return { user_verify_url: given.url ?? link?.user_verify_url, state: given.state ?? link?.state };
}
