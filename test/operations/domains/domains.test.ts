import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { invalid, notFound, refusal, required, tooLong, tooShort } from '../../support/violations.ts';
import { PENDING_DOMAIN } from '../../support/fixture-ids.ts';

const ACME = '/api/v1/organizations/org_10000000000000001';
const NORDWIND = '/api/v1/organizations/org_10000000000000002';
const EMPTY_DESK = '/api/v1/organizations/org_10000000000000003';

interface Domain {
  id: string;
  domain: string;
}

async function create(api: Agent, organization: string, wanted: object): Promise<Domain> {
  const { body } = await api.post(`${organization}/domains`).send(wanted).expect(200);
  return body.domain;
}

const namesIn = ({ domains }: { domains: Domain[] }) => domains.map(({ domain }) => domain);
const UNKNOWN_TYPE = {
  description: 'value must be one of the defined enum values',
  constraint: 'enum.defined_only',
};

/** All operations, with the path of an organization. */
const CALLS = [
  ['CreateDomain', (api: Agent, at: string) => api.post(`${at}/domains`).send({ domain: 'new.example' })],
  ['ListDomains', (api: Agent, at: string) => api.get(`${at}/domains`)],
  ['GetDomain', (api: Agent, at: string) => api.get(`${at}/domains/dom_10000000000000271`)],
  ['DeleteDomain', (api: Agent, at: string) => api.delete(`${at}/domains/dom_10000000000000271`)],
  ['VerifyDomain', (api: Agent, at: string) => api.patch(`${at}/domains/dom_10000000000000271:verify`)],
] as const;

describe('DomainService_CreateDomain', () => {
  it.each([
    [{}, 'ORGANIZATION_DOMAIN', 'VERIFIED', 'ADMIN'],
    [{ domain_type: 'DOMAIN_TYPE_UNSPECIFIED' }, 'ORGANIZATION_DOMAIN', 'VERIFIED', 'ADMIN'],
    [{ domain_type: 'ORGANIZATION_DOMAIN' }, 'ORGANIZATION_DOMAIN', 'VERIFIED', 'ADMIN'],
    [{ domain_type: 'ALLOWED_EMAIL_DOMAIN' }, 'ALLOWED_EMAIL_DOMAIN', 'AUTO_VERIFIED', 'NOT_APPLICABLE'],
  ])(
    'creates a domain from %j with type %s and status %s',
    async (wanted, domain_type, verification_status, verification_method) => {
      const { api } = await boot({ now: '2030-01-01T00:00:00Z' });

      const created = await api
        .post(`${EMPTY_DESK}/domains`)
        .send({ domain: 'desk.example', ...wanted })
        .expect(200);

      const domain = {
        id: expect.stringMatching(/^dom_\d{17,}$/),
        domain: 'desk.example',
        environment_id: 'env_10000000000000001',
        organization_id: 'org_10000000000000003',
        txt_record_key: '',
        txt_record_secret: '',
        verification_status,
        create_time: '2030-01-01T00:00:00.000Z',
        update_time: '2030-01-01T00:00:00.000Z',
        domain_type,
        verification_method,
      };
      expect(created.body).toEqual({ domain });
      const read = await api.get(`${EMPTY_DESK}/domains/${created.body.domain.id}`).expect(200);
      expect(read.body).toEqual(created.body);
    },
  );

  it.each([
    ['Shop.Desk.EXAMPLE', 'shop.desk.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['desk.test', 'desk.test'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    ['mail.gmail.com.desk.example', 'mail.gmail.com.desk.example'],
  ])('stores %s as %s', async (given, kept) => {
    const { api } = await boot();

    expect(await create(api, EMPTY_DESK, { domain: given })).toMatchObject({ domain: kept });
  });

  it.each([
    'invalid-domain-name',
    'a..example',
    '-desk.example',
    'desk-.example',
    'desk.example.',
    'desk_1.example',
    '192.168.0.1',
    'https://desk.example',
    'ada@desk.example',
    'desk.example:443',
    'two words.example',
    `${'a'.repeat(64)}.example`,
    `${'abcdefghi.'.repeat(24)}${'a'.repeat(14)}`,
  ])('refuses the invalid domain name %s', async (domain) => {
    const { api } = await boot();

    const refused = await api.post(`${EMPTY_DESK}/domains`).send({ domain }).expect(400);

    expect(refused.body).toEqual(invalid(`invalid domain name ${domain}`));
  });

  it.each([
    ['gmail.com', 'a public mail provider'],
    ['Outlook.COM', 'a public mail provider'],
    ['mailinator.com', 'a provider of disposable mail'],
  ])('refuses %s, a domain of %s', async (domain, whom) => {
    const { api } = await boot();

    const refused = await api.post(`${EMPTY_DESK}/domains`).send({ domain }).expect(400);

    expect(refused.body).toEqual(invalid(`domain ${domain.toLowerCase()} belongs to ${whom}`));
  });

  it('refuses a taken organization domain in any letter case until it is deleted', async () => {
    const { api } = await boot();
    const taken = { domain: 'ACME.example' };

    const own = await api.post(`${ACME}/domains`).send(taken).expect(400);
    const others = await api.post(`${EMPTY_DESK}/domains`).send(taken).expect(400);
    await api.delete(`${ACME}/domains/dom_10000000000000271`).expect(200);

    expect(own.body).toEqual(invalid('domain acme.example already exists'));
    expect(others.body).toEqual(own.body);
    expect(await create(api, EMPTY_DESK, taken)).toMatchObject({ domain: 'acme.example' });
  });

  it('lets several organizations allow the same email domain, each once', async () => {
    const { api } = await boot();
    const allowed = { domain: 'contractor.example', domain_type: 'ALLOWED_EMAIL_DOMAIN' };

    await create(api, NORDWIND, allowed);
    await create(api, NORDWIND, { domain: 'contractor.example' });
    const again = await api.post(`${NORDWIND}/domains`).send(allowed).expect(400);

    expect(again.body).toEqual(invalid('domain contractor.example already exists'));
  });

  it.each([
    ['no name', {}, required('domain.domain')],
    ['a name of 3 characters', { domain: 'a.b' }, tooShort(4)('domain.domain')],
    ['a name of 256 characters', { domain: 'a'.repeat(256) }, tooLong(255)('domain.domain')],
    [
      'an unknown type',
      { domain: 'desk.example', domain_type: 'MINE' },
      { field: 'domain.domain_type', ...UNKNOWN_TYPE },
    ],
  ])('refuses %s and names the field', async (_, wrong, violation) => {
    const { api } = await boot();

    const refused = await api.post(`${EMPTY_DESK}/domains`).send(wrong).expect(400);

    expect(refused.body).toEqual(refusal(violation));
  });
});

describe('DomainService_ListDomains', () => {
  it('answers an empty list for an organization without domains', async () => {
    const { api } = await boot();

    const listed = await api.get(`${EMPTY_DESK}/domains`).expect(200);

    expect(listed.body).toEqual({ page_size: 30, page_number: 0, domains: [] });
  });

  it('lists the domains of the organization, newest first', async () => {
    const { api } = await boot();
    await create(api, ACME, { domain: 'newest.example' });

    const listed = await api.get(`${ACME}/domains`).expect(200);

    expect(namesIn(listed.body)).toEqual([
      'newest.example',
      'acme-labs.example',
      'contractor.example',
      'acme.example',
    ]);
  });

  it.each([
    ['ALLOWED_EMAIL_DOMAIN', ['contractor.example']],
    ['ORGANIZATION_DOMAIN', ['acme-labs.example', 'acme.example']],
    ['DOMAIN_TYPE_UNSPECIFIED', ['acme-labs.example', 'contractor.example', 'acme.example']],
  ])('filters by domain_type %s: %j', async (type, names) => {
    const { api } = await boot();

    const listed = await api.get(`${ACME}/domains?domain_type=${type}`).expect(200);

    expect(namesIn(listed.body)).toEqual(names);
  });

  it('pages by page_number and answers an empty page after the last', async () => {
    const { api } = await boot();
    const pages = [0, 1, 2].map((page) => api.get(`${ACME}/domains?page_size=2&page_number=${page}`));

    const [first, second, third] = (await Promise.all(pages)).map(({ body }) => body);

    expect(first).toMatchObject({ page_size: 2, page_number: 0 });
    expect([namesIn(first), namesIn(second)]).toEqual([
      ['acme-labs.example', 'contractor.example'],
      ['acme.example'],
    ]);
    expect(third).toEqual({ page_size: 2, page_number: 2, domains: [] });
  });

  it('answers 30 domains per page by default and at most 100', async () => {
    const { api } = await boot();
    for (let n = 0; n < 101; n += 1) await create(api, EMPTY_DESK, { domain: `d${n}.example` });

    for (const [query, size] of Object.entries({ '': 30, '?page_size=0': 30, '?page_size=101': 100 })) {
      const { body } = await api.get(`${EMPTY_DESK}/domains${query}`).expect(200);
      expect(body).toMatchObject({ page_size: size, page_number: 0 });
      expect(body.domains).toHaveLength(size);
    }
  });

  it('returns the TXT record with include=verification_details', async () => {
    const { api } = await boot();

    const plain = await api.get(`${ACME}/domains`).expect(200);
    const detailed = await api.get(`${ACME}/domains?include=verification_details`).expect(200);

    expect(plain.body.domains[0]).toMatchObject({
      id: PENDING_DOMAIN,
      txt_record_key: '',
      txt_record_secret: '',
    });
    expect(detailed.body.domains[0]).toMatchObject({
      id: PENDING_DOMAIN,
      txt_record_key: 'scalekit-domain-verification',
      txt_record_secret: 'sk_dom_verify_3_test',
    });
  });
});

describe('DomainService_DeleteDomain', () => {
  it('deletes the domain permanently', async () => {
    const { api } = await boot();
    const path = `${ACME}/domains/dom_10000000000000271`;

    const deleted = await api.delete(path).expect(200);

    expect(deleted.body).toEqual({});
    const refused = [await api.get(path).expect(404), await api.delete(path).expect(404)];
    for (const { body } of refused) expect(body).toEqual(notFound('domain dom_10000000000000271 not found'));
    const listed = await api.get(`${ACME}/domains`).expect(200);
    expect(namesIn(listed.body)).toEqual(['acme-labs.example', 'contractor.example']);
  });

  it('is not required when the organization is deleted: its domains are deleted, too', async () => {
    const { api, control } = await boot();

    await api.delete(ACME).expect(200);

    const { body } = await control.get('/state/domains').expect(200);
    expect(body.rows.map((row: Domain) => row.domain)).toEqual(['nordwind.example', 'nordwind-shop.example']);
    expect(await create(api, NORDWIND, { domain: 'acme.example' })).toMatchObject({ domain: 'acme.example' });
  });
});

describe.each(CALLS)('DomainService_%s', (_, call) => {
  it('answers 404 for an unknown organization', async () => {
    const { api } = await boot();

    const unknown = await call(api, '/api/v1/organizations/invalid-org-id').expect(404);

    expect(unknown.body).toEqual(notFound('organization invalid-org-id not found'));
  });

  it('refuses an organization id of more than 32 characters', async () => {
    const { api } = await boot();

    const refused = await call(api, `/api/v1/organizations/${'o'.repeat(33)}`).expect(400);

    expect(refused.body).toEqual(refusal(tooLong(32)('organization_id')));
  });
});

describe.each(CALLS.slice(2))('DomainService_%s', (_, call) => {
  it('answers 404 for a domain of another organization', async () => {
    const { api } = await boot();

    const refused = await call(api, NORDWIND).expect(404);

    expect(refused.body).toEqual(notFound('domain dom_10000000000000271 not found'));
    await api.get(`${ACME}/domains/dom_10000000000000271`).expect(200);
  });
});

describe('the organization parameter of the domain operations', () => {
  it('can be an external_id instead of an id', async () => {
    const { api } = await boot();
    const path = '/api/v1/organizations/-/domains';

    const listed = await api.get(`${path}?external_id=crm-acme`).expect(200);
    const read = await api.get(`${path}/${PENDING_DOMAIN}?external_id=crm-acme`).expect(200);
    const unknown = await api.get(`${path}?external_id=crm-nobody`).expect(404);

    expect(namesIn(listed.body)).toEqual(['acme-labs.example', 'contractor.example', 'acme.example']);
    expect(read.body.domain).toMatchObject({ id: PENDING_DOMAIN });
    expect(unknown.body).toEqual(notFound('organization crm-nobody not found'));
  });

  it('cannot be an id and an external_id together', async () => {
    const { api } = await boot();

    const refused = await api.get(`${ACME}/domains?external_id=crm-acme`).expect(400);

    expect(refused.body).toEqual(invalid('organization_id and external_id exclude each other'));
  });
});
