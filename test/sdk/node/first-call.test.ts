import { expect, it } from 'vitest';
import { ACME, enter } from './support.ts';

const env = await enter();

it('the SDK requests a token after its first call is rejected without one', async () => {
  const { organization } = await env.connect().organization.createOrganization('Megasoft');
  expect(organization).toMatchObject({ displayName: 'Megasoft' });
  // The rejected call has no credentials, so it is in the journal of the default environment.
  const { requests } = (await env.control('GET', '/requests')) as { requests: object[] };
  expect(requests).toMatchObject([
    { protocol: 'http/1.1', path: '/oauth/token', status: 200 },
    { protocol: 'grpc', operation: 'OrganizationService_CreateOrganization', status: 201 },
  ]);
});

it('the SDK throws when its credentials are wrong', () =>
  // The SDK does not wrap the error of its HTTP client.
  expect(env.connect({ clientSecret: 'wrong' }).organization.getOrganization(ACME)).rejects.toMatchObject({
    response: { status: 401, data: { error: 'invalid_client' } },
  }));

it("the SDK trusts the simulator's certificate when it has the authority", async () => {
  const scalekit = env.connect({ encrypted: true });
  expect(await scalekit.organization.getOrganization(ACME)).toMatchObject({ organization: { id: ACME } });
});
