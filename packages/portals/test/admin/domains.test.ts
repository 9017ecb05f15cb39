import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { csrfOf, openPortal } from '../../../../test/support/portal.ts';
import { ACME, NORDWIND } from '../../../../test/support/fixture-ids.ts';

const DOMAINS = `/api/v1/organizations/${NORDWIND}/domains`;
const ACMES = 'dom_10000000000000271';

describe('the domains in the portal', () => {
  it('can be added, verified by their TXT record and removed', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    const { overview } = await openPortal(booted);

    const added = await overview.submit({ domain: ' Shop.Example ' }, '/portal/domains"');
    const [domain] = (await booted.api.get(`${DOMAINS}?include=verification_details`)).body.domains;
    const verified = await added.submit({}, `${domain.id}/verify"`);
    const known = (await booted.api.get(`${DOMAINS}/${domain.id}`)).body.domain;
    const removed = await verified.submit({}, `${domain.id}/remove"`);

    expect(domain).toMatchObject({
      domain: 'shop.example',
      domain_type: 'ORGANIZATION_DOMAIN',
      verification_status: 'PENDING',
      verification_method: 'DNS',
      txt_record_key: 'scalekit-domain-verification',
      txt_record_secret: expect.stringMatching(/^sk_dom_verify_\w{24}$/),
    });
    expect(added.text).toContain(domain.txt_record_secret);
    expect(added.text).toContain('Fri, 04 Jan 2030 00:00 UTC');
    expect(known.verification_status).toBe('VERIFIED');
    expect(verified.text).toContain('The domain is verified.');
    expect(removed.text).toContain('The domain is removed.');
    expect(removed.text).not.toContain('<strong>shop.example');
    await booted.api.get(`${DOMAINS}/${domain.id}`).expect(404);
  });

  it('wait while the TXT record is missing and fail after the deadline', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    const { browser, overview } = await openPortal(booted);
    const added = await overview.submit({ domain: 'shop.example' }, '/portal/domains"');
    const [{ id }] = (await booted.api.get(DOMAINS)).body.domains;
    const unproved = { txt_record_found: false, verify_before: '2030-01-01T01:00:00.000Z' };
    await booted.control.patch(`/state/domains/${id}`).send(unproved).expect(200);

    const pending = await added.submit({}, '/verify"');
    await booted.control.post('/clock/advance').send({ by: '1h' }).expect(200);
    const late = await browser.open('/portal');

    expect(pending.text).toMatch(/class="alert note"[^>]*>The TXT record was not found yet\./);
    expect(late.text).toMatch(/shop\.example<\/strong>\s*<span class="badge bad">Not verified/);
  });

  it.each([
    ['nodot', 'Invalid domain name nodot.'],
    ['a.b', 'Invalid domain name a.b.'],
    ['', 'Invalid domain name .'],
    ['gmail.com', 'Domain gmail.com belongs to a public mail provider.'],
    ['acme.example', 'Domain acme.example already exists.'],
  ])('show an invalid name at its field: %j', async (domain, problem) => {
    const booted = await boot();
    const { overview } = await openPortal(booted);
    const before = (await booted.api.get(DOMAINS)).body;

    const page = await overview.submit({ domain }, '/portal/domains"');

    expect(page.status).toBe(400);
    expect(page.text).toMatch(new RegExp(`id="domain-problem">\\s*${problem.replaceAll('.', '\\.')}`));
    expect((await booted.api.get(DOMAINS)).body).toEqual(before);
  });

  it('are only those of the organization', async () => {
    const booted = await boot();
    const { browser, overview } = await openPortal(booted);
    const form = { csrf_token: csrfOf(overview) };

    expect(overview.text).toContain('nordwind.example');
    expect(overview.text).not.toContain('acme.example');
    for (const verb of ['verify', 'remove'])
      expect(await browser.send(`/portal/domains/${ACMES}/${verb}`, form)).toMatchObject({ status: 404 });
    await booted.api.get(`/api/v1/organizations/${ACME}/domains/${ACMES}`).expect(200);
  });
});
