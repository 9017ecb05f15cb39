import { describe, expect, it } from 'vitest';
import { readContract } from '../../src/contract/documents.ts';
import { WANTED } from '../contract/valid-requests.ts';
import { addressesOf, type State } from '../support/addresses.ts';
import { agentWith, bootOnce, type Agent, type Booted } from '../support/boot.ts';

const { fresh } = bootOnce();

const stateOf = async ({ control }: Booted) => (await control.get('/state').expect(200)).body as State;

/**
 * PUT /state refuses a row with a reference to a missing row, so success proves that all references are
 * valid.
 */
async function expectWhole(booted: Booted, removed: string) {
  const response = await booted.control.put('/state').send(await stateOf(booted));
  expect([removed, response.status, response.body]).toEqual([removed, 204, {}]);
}

describe('the deletion of a row', () => {
  it('leaves no reference to the row, in any collection', async () => {
    const booted = await fresh({ fixture: 'small' });
    const rows = Object.entries(await stateOf(booted)).filter(([collection]) => collection !== 'settings');
    expect(rows.flatMap(([, list]) => list).length).toBeGreaterThan(100);

    for (const [collection, list] of rows) {
      for (const { id } of list.slice(0, 12)) {
        const path = `/state/${collection}/${encodeURIComponent(id)}`;
        await booted.control.delete(path).expect(204);

        await booted.control.get(path).expect(404);
        await expectWhole(booted, `${collection} ${id}`);
        await booted.control.post('/reset').expect(204);
      }
    }
  });
});

/**
 * Operations that a client cannot call for a row of its own: the rest of the path is the provider's, a header names the
 * session, or the token must be a user's.
 */
const WITHOUT_ROW = [
  'ActionsProxy_Delete',
  'McpServer_EndSession',
  'ClientService_RevokeCurrentAgentConsent',
];

const deletions = readContract('openapi').operations.filter(
  ({ method, id, base }) => method === 'DELETE' && id === base && !WITHOUT_ROW.includes(base),
);

/** Deletions of rows that no fixture has. */
const NEEDS_ITS_OWN = new Set([
  'ClientService_RemoveEnvironmentRedirectUri',
  'InterceptorService_DeleteTokenTemplate',
  'OrganizationService_DeletePortalLinkByID',
]);

/** Identity providers delete with the secret of their directory. */
const callerOf = (operation: string, { api, anonymous }: Booted): Agent =>
  operation.startsWith('Scim_') ? agentWith(anonymous, 'test_okta_directory_secret_T7qa') : api;

/** Adds rows that can be deleted, and returns the query of the deletion. */
async function prepareFor(booted: Booted, operation: string): Promise<string> {
  await addSpares(booted);
  const { prepare, query = '' } = WANTED[operation] ?? {};
  if (NEEDS_ITS_OWN.has(operation)) await prepare?.(booted);
  return query;
}

describe.each(deletions)('$id', ({ base, path }) => {
  it('leaves no reference to the deleted row', async () => {
    const booted = await fresh();
    const query = await prepareFor(booted, base);
    const addresses = addressesOf(path, await stateOf(booted));
    let deleted = 0;

    for (const address of addresses) {
      const { status } = await callerOf(base, booted).delete(`${address}?${query}`);
      if (status >= 400) continue;
      deleted += 1;
      await expectWhole(booted, `${base} ${address}`);
      await booted.control.post('/reset').expect(204);
      await prepareFor(booted, base);
    }
    expect([base, deleted]).not.toEqual([base, 0]);
  });
});

/** Adds a role that no user has and a second secret, because such rows can be deleted. */
async function addSpares({ api }: Booted) {
  const role = { name: 'auditor', display_name: 'Auditor' };
  await api.post('/api/v1/roles').send(role).expect(201);
  const clients = '/api/v1/organizations/org_10000000000000001/clients';
  await api.post(`${clients}/m2morg_10000000000000001/secrets`).expect(201);
}
