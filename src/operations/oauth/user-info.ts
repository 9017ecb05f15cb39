import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { profileClaims } from './profile-claims.ts';
import { standing } from './standing.ts';

export const oauthUserInfo = {
  OAuth_UserInfo(_, world) {
    const { subject = '', scopes = [], user_id, organization_id } = world.caller ?? {};
    const identity = user_id ? undefined : identityOf(world, subject);
    const { external_organization_id: xoid } = standing(world, {
      ...(organization_id && { organization_id }),
    });
    return {
      ...profileClaims(world, { ...(user_id && { user_id }), ...(identity && { identity }) }, scopes),
      sub: subject,
      ...(organization_id && { oid: organization_id }),
      ...(xoid && { xoid }),
    };
  },
} satisfies Partial<Operations>;

/** What a connection said of somebody who is no user, when they last signed in. */
function identityOf({ authorization_codes, caller }: World, subject: string) {
  const codes = authorization_codes.list('client_id', caller?.client_id ?? '');
  return codes.findLast((code) => code.subject === subject)?.identity;
}
