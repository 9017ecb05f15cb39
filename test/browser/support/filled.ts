import { expect } from 'vitest';
import { restOf, sdkOf } from './callers.ts';
import type { Stage } from './stage.ts';
import { ACME } from '../../support/fixture-ids.ts';

const INVITE = '/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend';

/** Gives every page of the dashboard something to show: calls that fail and calls that change rows, mails, deliveries, interceptors, environments. */
export async function fill(stage: Stage): Promise<void> {
  const { control, api } = stage;
  await control('POST', '/environments', { name: 'other' });
  await control('POST', '/snapshots', { name: 'before' });
  // A name without a space must not make a page wider than a phone.
  const description = 'http://localhost:3000/webhooks/organizations-and-users?token=abcdefghijklmnop';
  await control('POST', '/webhooks/endpoints', { kind: 'inbox', description });
  await control('POST', '/scenarios', { name: 'webhook-wrong-signature' });
  await control('POST', '/scenarios', { name: 'rate-limit-once' });
  await expect(api('GET', '/api/v1/organizations')).rejects.toThrow('429');
  await api('POST', '/api/v1/organizations', { display_name: 'Delivered Ltd' });
  await api('PATCH', INVITE, {});
  await api('POST', '/api/v1/passwordless/email/send', { email: 'ravi@acme.example' });
  const params = { trigger_point: 'PRE_USER_INVITATION' };
  await control('POST', '/scenarios', { name: 'interceptor-denies', params });
  await expect(api('PATCH', INVITE, {})).rejects.toThrow('403');
  await sdkOf(stage).organization.getOrganization(ACME);
  const call = await restOf(stage);
  const body = { display_name: 'Acme Two', metadata: { plan: 'paid' }, colour: 'blue' };
  await call(`/api/v1/organizations/${ACME}`, { method: 'PATCH', body });
}
