import { ScalekitBadRequestException, ScalekitNotFoundException } from '@scalekit-sdk/node';
import { DomainType } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/domains/domains_pb.js';
import { expect, it } from 'vitest';
import { ACME, EMPTY_DESK, enter, expectThrottledOnce, NORDWIND } from './support.ts';

const env = await enter();
const { domain: domains } = env.connect();

it('creates, reads, lists and deletes a domain', async () => {
  const made = await domains.createDomain(EMPTY_DESK, 'empty-desk.example', {
    domainType: 'ORGANIZATION_DOMAIN',
  });
  const { id } = made.domain!;
  expect((await domains.getDomain(EMPTY_DESK, id)).domain).toMatchObject({
    domain: 'empty-desk.example',
    domainType: DomainType.ORGANIZATION_DOMAIN,
    organizationId: EMPTY_DESK,
  });
  await domains.createDomain(EMPTY_DESK, 'guests.example', { domainType: DomainType.ALLOWED_EMAIL_DOMAIN });
  expect((await domains.listDomains(EMPTY_DESK)).domains).toHaveLength(2);
  const allowed = await domains.listDomains(EMPTY_DESK, { domainType: 'ALLOWED_EMAIL_DOMAIN' });
  expect(allowed.domains.map(({ domain }) => domain)).toEqual(['guests.example']);
  expect((await domains.listDomains(NORDWIND, { domainType: 'ALLOWED_EMAIL_DOMAIN' })).domains).toEqual([]);
  await domains.deleteDomain(EMPTY_DESK, id);
  await expect(domains.getDomain(EMPTY_DESK, id)).rejects.toThrow(ScalekitNotFoundException);
});

it('throws for an unknown, an invalid and a duplicate domain', async () => {
  await expect(domains.getDomain(ACME, 'dom_404')).rejects.toThrow(ScalekitNotFoundException);
  await expect(domains.listDomains('invalid-org-id')).rejects.toThrow(ScalekitNotFoundException);
  await expect(domains.createDomain(ACME, 'invalid-domain-name')).rejects.toThrow(
    ScalekitBadRequestException,
  );
  // The service responds with 400 to a duplicate domain, not with 409.
  await expect(
    domains.createDomain(ACME, 'acme.example', { domainType: 'ORGANIZATION_DOMAIN' }),
  ).rejects.toThrow(ScalekitBadRequestException);
});

it('throws once when a scenario throttles the call', () =>
  expectThrottledOnce(env, 'DomainService_ListDomains', () => domains.listDomains(ACME)));
