import { describe, expect, it } from 'vitest';
import type { CompiledContract } from '../../src/contract/compiled.ts';
import { Contract } from '../../src/contract/contract.ts';
import { readContract } from '../../src/contract/documents.ts';
import type { SigningKey } from '../../src/state/signing-keys.ts';
import { boot, rewired } from '../support/boot.ts';

const ORGANIZATIONS = '/api/v1/organizations';

/** Boots a simulator whose contract differs from what its handlers answer. */
async function bootTweaked(tweak: (contract: CompiledContract) => void) {
  const booted = await boot({ brokenContract: true });
  const compiled = readContract('openapi');
  tweak(compiled);
  const contract = new Contract(compiled);
  const api = rewired(
    booted.understudy,
    (controls) => ({ ...controls, simulator: { ...controls.simulator, contract } }),
    booted.token,
  );
  return { ...booted, api };
}

const violation = (message: string) => ({
  code: 13,
  message,
  details: [
    {
      '@type': 'type.googleapis.com/scalekit.v1.errdetails.ErrorInfo',
      error_code: 'RESPONSE_CONTRACT_VIOLATION',
    },
  ],
});

const schemaOf = ({ schemas }: CompiledContract, name: string) => schemas[name]!;

describe('a response that breaks the contract', () => {
  it('is replaced by a 500 that names path and rule, and changes are rolled back', async () => {
    const { api, control } = await bootTweaked((contract) => {
      schemaOf(contract, 'Organization').properties!['display_name'] = { type: 'integer' };
    });
    const before = await control.get('/state/hash').expect(200);

    const response = await api.post(ORGANIZATIONS).send({ display_name: 'Acme' }).expect(500);

    expect(response.body).toEqual(
      violation(
        'response breaks the contract: OrganizationService_CreateOrganization 201: /response/organization/display_name must be integer',
      ),
    );
    const after = await control.get('/state/hash').expect(200);
    expect(after.body).toEqual(before.body);
  });

  it('uses no id', async () => {
    const { api, understudy, token } = await bootTweaked((contract) => {
      schemaOf(contract, 'Organization').properties!['region_code'] = { type: 'integer' };
    });
    const sound = rewired(understudy, (controls) => controls, token);
    await understudy.controls.simulator.environments.get('default').setClock({ mode: 'frozen' });
    const create = async () => {
      const { body } = await sound.post(ORGANIZATIONS).send({ display_name: 'Acme' }).expect(201);
      return BigInt(body.organization.id.slice(4));
    };
    const [first, second] = [await create(), await create()];

    await api.post(ORGANIZATIONS).send({ display_name: 'Acme' }).expect(500);

    expect((await create()) - second).toBe(second - first);
  });

  it('is explained in its journal entry', async () => {
    const { api, control } = await bootTweaked((contract) => {
      schemaOf(contract, 'Organization').properties!['metadata'] = { type: 'string' };
    });

    const response = await api.get(ORGANIZATIONS).expect(500);

    const entry = await control.get(`/requests/${response.headers['understudy-request-id']}`).expect(200);
    expect(entry.body).toMatchObject({
      operation: 'OrganizationService_ListOrganization',
      status: 500,
      validation: { response: expect.stringContaining('/response/organizations/0/metadata must be string') },
      changes: [],
    });
  });

  it('can have an additional or a missing member', async () => {
    const { api } = await bootTweaked((contract) => {
      const { properties } = schemaOf(contract, 'Organization');
      delete properties!['region_code'];
    });

    const response = await api.get(`${ORGANIZATIONS}/org_10000000000000001`).expect(500);

    expect(response.body).toEqual(violation(expect.stringContaining('additional propert')));
  });

  it('can have a status that the contract does not define', async () => {
    const { api } = await bootTweaked(({ operations }) => {
      delete operations.find(({ id }) => id === 'OrganizationService_GetOrganization')!.responses['404'];
    });

    const response = await api.get(`${ORGANIZATIONS}/org_404`).expect(500);

    expect(response.body).toEqual(
      violation(
        'response breaks the contract: OrganizationService_GetOrganization 404: no schema defined for status code 404',
      ),
    );
  });

  it('can be an error of another shape', async () => {
    const { api, anonymous } = await bootTweaked((contract) => {
      schemaOf(contract, 'Error').properties!['code'] = { type: 'string' };
    });

    const response = await api.get(`${ORGANIZATIONS}/org_404`).expect(500);

    expect(response.body.message).toContain(
      'OrganizationService_GetOrganization 404: /response/code must be string',
    );
    await anonymous.get(ORGANIZATIONS).expect(401);
  });

  it('is reported as an OAuth error at an OAuth endpoint', async () => {
    const { api } = await bootTweaked((contract) => {
      schemaOf(contract, 'Token').properties!['scope'] = { type: 'integer' };
    });
    const form = {
      grant_type: 'client_credentials',
      client_id: 'skc_1000000000000000001',
      client_secret: 'test_understudy_default_secret',
    };

    const response = await api.post('/oauth/token').type('form').send(form).expect(500);

    expect(response.body).toEqual({
      error: 'server_error',
      error_description: expect.stringContaining('/response/scope must be integer'),
    });
  });
});

describe('an operation without a handler', () => {
  it('answers UNIMPLEMENTED', async () => {
    const { api } = await bootTweaked(({ operations }) => {
      const [operation] = operations.filter(({ id }) => id === 'OrganizationService_GetOrganization');
      operation!.base = 'OrganizationService_GetOrganisation';
    });

    const response = await api.get(`${ORGANIZATIONS}/org_10000000000000001`).expect(501);

    expect(response.body).toMatchObject({ code: 12, details: [{ error_code: 'UNIMPLEMENTED' }] });
  });
});

describe('an internal error', () => {
  it('hides its cause from the caller, and the journal and the log contain the stack', async () => {
    const { understudy, token, control, lines } = await boot({ brokenContract: true });
    const api = rewired(
      understudy,
      (controls) => {
        const { keys } = controls.simulator;
        const broken = {
          verify: (jwt: string, known: SigningKey[]) => keys.verify(jwt, known),
          environmentOf: (jwt: string) => keys.environmentOf(jwt),
          sign: () => Promise.reject(new Error('no pen')),
        };
        return { ...controls, simulator: { ...controls.simulator, keys: broken as never } };
      },
      token,
    );
    const form = {
      grant_type: 'client_credentials',
      client_id: 'skc_1000000000000000001',
      client_secret: 'test_understudy_default_secret',
    };

    const response = await api.post('/oauth/token').type('form').send(form).expect(500);

    expect(response.body).toEqual({ error: 'server_error', error_description: 'internal error' });
    const entry = await control.get(`/requests/${response.headers['understudy-request-id']}`).expect(200);
    expect(entry.body.error).toMatch(/^Error: no pen\n +at /);
    expect(lines).toEqual([expect.stringContaining('no pen')]);
  });
});

describe('a request after a valid one of the same operation', () => {
  const BAD = [{}, { display_name: '' }, { display_name: 7 }, { display_name: 'Acme', region_code: 'MARS' }];

  it.each(BAD)('is refused as the first request is: %j', async (body) => {
    const [first, later] = [await boot(), await boot()];
    await later.api.post(ORGANIZATIONS).send({ display_name: 'Acme' }).expect(201);

    const refusal = await first.api.post(ORGANIZATIONS).send(body).expect(400);
    const repeated = await later.api.post(ORGANIZATIONS).send(body).expect(400);

    expect(repeated.body).toEqual(refusal.body);
  });

  it('has its query checked, too', async () => {
    const { api } = await boot();
    await api.get(ORGANIZATIONS).expect(200);

    await api.get(`${ORGANIZATIONS}?page_size=many`).expect(400);
  });
});

describe('the times of an answer', () => {
  it.each(['2026-02-30T10:00:00.000Z', '2026-04-31T10:00:00.000Z', '2026-01-01T24:00:00.000Z', 'today'])(
    'must exist, unlike %s',
    (create_time) => {
      const contract = new Contract(readContract('openapi'));
      const operation = contract.operation('OrganizationService_GetOrganization')!;
      const organization = {
        id: 'org_10000000000000001',
        create_time,
        display_name: 'Acme',
        region_code: 'US',
      };

      const complaints = contract.responseComplaints(operation, 200, { organization });

      expect(complaints.map(({ path }) => path)).toContain('/response/organization/create_time');
    },
  );
});
