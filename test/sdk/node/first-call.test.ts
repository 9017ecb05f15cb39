import { expect, it } from 'vitest';
import { ACME, enter } from './support.ts';

const env = await enter();

it('asks for a token once its first call is refused for having none', async () => {
  const { organization } = await env.connect().organization.createOrganization('Megasoft');
  expect(organization).toMatchObject({ displayName: 'Megasoft' });
  // The refused one belongs to no environment but the default: nothing in it says whose it is.
  const { requests } = (await env.control('GET', '/requests')) as { requests: object[] };
  expect(requests).toMatchObject([
    { protocol: 'http/1.1', path: '/oauth/token', status: 200 },
    { protocol: 'grpc', operation: 'OrganizationService_CreateOrganization', status: 201 },
  ]);
});

it('is told when its credentials are wrong', () =>
  // The SDK hands the failure of its HTTP client on as it is.
  expect(env.connect({ clientSecret: 'wrong' }).organization.getOrganization(ACME)).rejects.toMatchObject({
    response: { status: 401, data: { error: 'invalid_client' } },
  }));

it('trusts the certificate of the simulator, whose authority it was given', async () => {
  const scalekit = env.connect({ encrypted: true });
  expect(await scalekit.organization.getOrganization(ACME)).toMatchObject({ organization: { id: ACME } });
});
