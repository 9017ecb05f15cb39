import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { carrying } from '../environment-mark.ts';

export const drawInvitationToken = (world: World) => carrying(world, world.draw.text(40));

/** Where an invited user accepts; none for rows that were written without a token. */
export const invitationLink = (
  { baseUrl }: World,
  { invitation_token }: Rows['memberships'],
): string | undefined => invitation_token && `${baseUrl}/ui/invitation/${invitation_token}`;
