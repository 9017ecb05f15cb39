import type { Env, Rows } from '../../state/env.ts';
import { ApiError, invalidArgument, notFound } from '../../contract/errors.ts';
import type { Operations } from '../handler.ts';
import { refuseOtherOrganizations } from '../lists.ts';
import { organizationConnection, type Connection } from './connection-lookup.ts';

type Test = NonNullable<Rows['connections']['tests']>[number];

export const connectionTests = {
  ConnectionService_GetConnectionTestResult({ path }, env) {
    const { tests = [] } = env.connections.get(path.connection_id);
    const test = tests.find(({ id }) => id === path.test_request_id);
    if (!test) throw notFound('connection test', path.test_request_id);
    const { id: _, csrf_token: __, saml_request_id: ___, ...result } = test;
    return result;
  },
} satisfies Partial<Operations>;

/** Tests that a connection keeps. */
const KEPT = 10;

/**
 * Stores a test of a connection, in place of the one with its id. Unverified (connections/id-of-test): how the service
 * makes the id of a test; here its test page does.
 */
export function storeTest(env: Env, connection: Connection, test: Test): void {
  env.decidedBy('connections/id-of-test');
  const others = (connection.tests ?? []).filter(({ id }) => id !== test.id);
  env.connections.update(connection.id, { tests: [...others, test].slice(-KEPT) });
}

/** What names a test, and the token of its form. */
export type OpenedTest = Pick<Test, 'id' | 'csrf_token'>;

/** The test whose page was opened. A form that is sent again starts a test of its own. */
export function openedTest(env: Env, { id, tests = [] }: Connection, wanted: string | undefined): OpenedTest {
  const opened = tests.find((test) => test.id === wanted);
  if (!opened)
    throw invalidArgument(`connection ${id} has no test ${wanted ?? ''}: open its test page again`);
  const { csrf_token, status } = opened;
  return { id: status === 'PENDING' ? opened.id : env.draw.id('test'), csrf_token };
}

export const connectionContexts = {
  ConnectionService_GetConnectionContext({ path }, env) {
    const { context = {} } = contextOwner(env, path);
    return { context };
  },

  /**
   * Unverified (connections/context-of-environment): the connections of the environment have a context that users can
   * read only.
   */
  ConnectionService_UpdateConnectionContext({ path, body: context = {} }, env) {
    const { id, organization_id } = contextOwner(env, path);
    if (organization_id === undefined)
      throw new ApiError('permission_denied', `connection ${id} belongs to the environment`).decidedBy(
        'connections/context-of-environment',
      );
    env.connections.update(id, { context });
    return {};
  },
} satisfies Partial<Operations>;

/** The connection, of the caller's organization or of the environment. */
function contextOwner(
  env: Env,
  { connection_id, organization_id }: { connection_id: string; organization_id?: string },
): Connection {
  const connection = organization_id
    ? organizationConnection(env, organization_id, connection_id)
    : env.connections.get(connection_id);
  if (connection.organization_id) refuseOtherOrganizations(env, connection.organization_id);
  return connection;
}
