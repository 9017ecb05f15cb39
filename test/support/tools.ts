import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Agent } from './boot.ts';

export const NOW = '2030-01-01T00:00:00.000Z';
export const ACCOUNTS = '/api/v1/connected_accounts';

const EXECUTION = expect.stringMatching(/^exec_\d{17,}$/);

interface Schema {
  type: string;
  items?: Schema;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
}

interface Tool {
  id: string;
  provider: string;
  definition: { name: string; input_schema: Schema; output_schema: Schema };
}

export const catalogue = JSON.parse(readFileSync('fixtures/catalogue.json', 'utf8')) as { tools: Tool[] };

export const execute = (api: Agent, body: object) => api.post('/api/v1/execute_tool').send(body);

/** A value that the schema accepts. */
export function sample({ type, items, enum: allowed, properties = {} }: Schema, text = 'text'): unknown {
  if (allowed) return allowed[0];
  if (type === 'array') return [sample(items ?? { type: 'string' }, text)];
  if (type === 'object')
    return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, sample(each, text)]));
  return { string: text, integer: 3, number: 2.5, boolean: true }[type];
}

/** A value of another type than the schema requires. */
export const wrong = ({ type }: Schema) => (type === 'string' ? 7 : 'text');

/** Another text than in `sample`: what that has deleted cannot be deleted again. */
export const required = ({ properties = {}, required: names = [] }: Schema) =>
  Object.fromEntries(names.map((name) => [name, sample(properties[name]!, 'words')]));

/**
 * Creates active accounts with the identifier `tester`, one for each application, on the first of its connections. An
 * application without one gets a connection.
 */
export async function withAccounts(api: Agent) {
  await withConnections(api);
  const { body } = await api.get('/api/v1/connections').expect(200);
  const applications = new Set(catalogue.tools.map(({ provider }) => provider));
  const authorization_details = { static_auth: { details: { token: 't' } } };
  for (const { key_id, provider_key } of body.connections) {
    if (!key_id || !applications.delete(provider_key)) continue;
    const account = { connector: key_id, identifier: 'tester', connected_account: { authorization_details } };
    await api.post(ACCOUNTS).send(account).expect(201);
  }
}

async function withConnections(api: Agent) {
  const { body } = await api.get('/api/v1/connections').expect(200);
  const connected = new Set(body.connections.map((each: { provider_key: string }) => each.provider_key));
  const missing = new Set(
    catalogue.tools.map(({ provider }) => provider).filter((each) => !connected.has(each)),
  );
  for (const provider_key of missing) {
    const connection = { provider_key, type: 'OAUTH', key_id: provider_key.toLowerCase() };
    const created = await api.post('/api/v1/connections?flags.is_app=true').send(connection).expect(201);
    expect(created.body.connection).toMatchObject({ status: 'COMPLETED', enabled: true });
  }
}

/** The `TOOL_ERROR` response, which has the message twice and an execution id. */
export const toolError = (status: number, code: number, tool_error_code: string, message: string) => ({
  status,
  body: {
    code,
    message,
    details: [
      {
        '@type': 'type.googleapis.com/scalekit.v1.errdetails.ErrorInfo',
        error_code: 'TOOL_ERROR',
        tool_error_info: { execution_id: EXECUTION, tool_error_code, tool_error_message: message },
      },
    ],
  },
});

export const heard = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

/** Adds the tool `gmail_own`, which the catalogue does not have. */
export async function addTool(
  control: Agent,
  { input_schema, response }: { input_schema: object; response?: unknown },
) {
  const definition = { name: 'gmail_own', description: '', input_schema };
  const tool = { provider: 'GMAIL', definition, tags: [], updated_at: NOW, response };
  await control.put('/state/tools/tol_20000000000000999').send(tool).expect(200);
}
