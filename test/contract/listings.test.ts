import { expect, it } from 'vitest';
import { readContract } from '../../src/contract/documents.ts';
import { addressesOf } from '../support/addresses.ts';
import { boot, type Booted } from '../support/boot.ts';
import { operationsOf, type Documented } from './bad-requests.ts';
import { call, expectRefusal } from './refusals.ts';
import { WANTED } from './valid-requests.ts';

/**
 * The rule for all list operations: what path variables (see walk.slow.test.ts) and required parameters name must exist,
 * else 404. An optional filter that matches nothing leads to an empty list.
 */
const compiled = new Map(readContract('openapi').operations.map((operation) => [operation.id, operation]));
const operations = new Map(operationsOf('openapi').map((operation) => [operation.id, operation]));

const isListing = (name: string) => /_(List|Search|Get\w+(Sessions|Links)\d?$)/.test(name);
const isReference = (name: string) =>
  /(_id|_ids|identifier|connector|connection_names?|config_name|\.id|user_identifier)$/.test(name);

/** Filters that behave differently, each with its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'WebAuthnService_ListCredentials user_id':
    'it is required where the caller is no user: a list of that user',
  'DomainService_ListDomains external_id': 'another name of the organization, and so no filter',
  'ToolService_ListTools filter.connector': 'the service resolves a connection name first: 404',
  'ToolService_ListTools filter.identifier': 'the service resolves the account first: 404',
  'ToolService_ListTools filter.connected_account_id': 'the service resolves the account first: 404',
  'ToolService_ListScopedTools filter.connection_names': 'the service resolves a connection name first: 404',
};

/** These only help to find the account whose MCP server adds tools. */
const WIDENING = ['ToolService_ListTools filter.organization_id', 'ToolService_ListTools filter.user_id'];

const filters = [...compiled.values()]
  .filter(({ base, secured }) => isListing(base) && secured)
  .flatMap(({ id, parameters }) =>
    parameters
      .filter(({ name, in: place }) => place === 'query' && isReference(name))
      .map(({ name, required = false, schema }) => ({ id, name, required, value: unknown(name, schema) })),
  );

/** A valid id that no row of the default environment has. */
function unknown(name: string, { pattern = '', items }: { pattern?: string; items?: { pattern?: string } }) {
  const [, prefix = ''] = /^\^([a-z]+_?)/.exec(pattern || (items?.pattern ?? '')) ?? [];
  if (prefix) return `${prefix}99999999999999999`;
  return name.endsWith('organization_id') ? 'org_99999999999999999' : 'nobody';
}

/** Calls the operation for each possible row until one call succeeds. */
async function ask(booted: Booted, operation: Documented, name: string, value: string) {
  const { query = '', body } = WANTED[operation.id] ?? {};
  const { body: state } = await booted.control.get('/state').expect(200);
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  let answer;
  for (const address of addressesOf(operation.template, state)) {
    answer = await call(booted.api, operation, `${address}?${parameters}`, body);
    if (answer.status === 200) break;
  }
  return answer!;
}

const listsIn = (body: Record<string, unknown>) => Object.values(body).filter(Array.isArray);

const isException = ({ id, name }: (typeof filters)[number]) => EXCEPTIONS[`${id} ${name}`] !== undefined;
const narrowing = filters.filter(
  (filter) => !isException(filter) && !WIDENING.includes(`${filter.id} ${filter.name}`),
);

it.each(narrowing.filter(({ required }) => !required))(
  '$id answers an empty list for an unknown $name',
  async ({ id, name, value }) => {
    const answer = await ask(await boot(), operations.get(id)!, name, value);

    expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
    expect(listsIn(answer.body)).toEqual(listsIn(answer.body).map(() => []));
  },
);

it.each(narrowing.filter(({ required }) => required))(
  '$id answers 404 for an unknown $name',
  async ({ id, name, value }) => {
    const answer = await ask(await boot(), operations.get(id)!, name, value);

    expectRefusal(answer, [404], { dialect: 'service' });
  },
);

it.each(filters.filter(isException))(
  '$id refuses an unknown $name, as a known exception',
  async ({ id, name, value }) => {
    const answer = await ask(await boot(), operations.get(id)!, name, value);

    expectRefusal(answer, [400, 404], { dialect: 'service' });
  },
);

it('each listed exception belongs to a filter', () => {
  const known = filters.map(({ id, name }) => `${id} ${name}`);

  expect(known).toEqual(expect.arrayContaining([...Object.keys(EXCEPTIONS), ...WIDENING]));
});

it.each([
  ['connected_account_id', 'ca_99999999999999999'],
  ['organization_id', 'org_99999999999999999'],
  ['connection_id', 'conn_99999999999999999'],
])('the list of events is empty for an unknown %s', async (member, value) => {
  const { api } = await boot();

  const answer = await api
    .post('/api/v1/events/paginated')
    .send({ [member]: value })
    .expect(200);

  expect(answer.body.events).toEqual([]);
});
