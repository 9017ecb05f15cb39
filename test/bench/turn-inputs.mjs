// Inputs of every kind for the measurement of turns: those of test/support/evil-inputs.ts, and others that need
// another protocol. `act` makes the call itself.
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { OrganizationService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/organizations/organizations_pb.js';
import { ToolService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/tools/tools_pb.js';
import { build } from 'esbuild';

const ACME = 'org_10000000000000001';
const CONTROL = '/_control/v1';
const members = (count, value) => Array.from({ length: count }, (_, i) => [`n${i}`, value]);
const objectOf = (count, value) => Object.fromEntries(members(count, value));

const post = (path, body, more = {}) => ({ method: 'POST', path, body: JSON.stringify(body), ...more });
const agent = (name, args, method = 'tools/call') =>
  post(
    '/_control/mcp',
    { jsonrpc: '2.0', id: 1, method, params: args && { name, arguments: args } },
    { headers: { accept: 'application/json, text/event-stream' } },
  );

/** Calls an RPC as the official SDK does. */
const rpc = (service, method, message) => ({
  async act({ url, headers }) {
    const client = createClient(service, createGrpcTransport({ baseUrl: url }));
    try {
      await client[method](message, { headers });
      return { status: 0, text: '' };
    } catch (thrown) {
      return { status: thrown.code, text: thrown.message };
    }
  },
});
const getByRpc = rpc(OrganizationService, 'getOrganization', { identities: { case: 'id', value: ACME } });

const rule = (when) => ({
  name: 'first',
  rules: [{ on: 'UserService_ListUsers', when, reply: { error: 'gone' } }],
});
const tool = (response) => ({
  ...post(`${CONTROL}/state/tools/tol_1`, {
    provider: 'GMAIL',
    tags: [],
    updated_at: 'now',
    definition: {
      name: 'turn_tool',
      description: 'x',
      input_schema: { properties: { a: { minLength: 1 } } },
    },
    response,
  }),
  method: 'PUT',
});
const callTool = post('/api/v1/execute_tool', {
  tool_name: 'turn_tool',
  connected_account_id: 'ca_10000000000000301',
  params: { a: 'x' },
});

/** Each meets a service that has answered nothing of its kind before. */
export const FIRST_USES = [
  { name: 'first use: list of tools for agents', ...agent(undefined, undefined, 'tools/list') },
  { name: 'first use: list_scenarios of agents', ...agent('list_scenarios', {}) },
  {
    name: 'first use: describe_operation of agents',
    ...agent('describe_operation', { search: 'invite user' }),
  },
  {
    name: 'first use: scenario with an expression',
    ...post(`${CONTROL}/scenarios`, rule({ headers: { x: { regex: '^a+$' } } })),
  },
  {
    name: 'first use: scenario in YAML',
    method: 'POST',
    path: `${CONTROL}/scenarios`,
    type: 'application/yaml',
    body: 'name: first\nrules:\n  - on: UserService_ListUsers\n    reply: { error: gone }\n',
  },
  { name: 'first use: wrong scenario', ...post(`${CONTROL}/scenarios`, { name: 'first', rules: [{}] }) },
  {
    name: 'first use: schema and placeholder of a tool',
    first: [tool({ a: '{{lorem.word}}' })],
    ...callTool,
  },
  { name: 'first use: wrong body', ...post('/api/v1/organizations', { display_nam: 1 }) },
  { name: 'first use: RPC', ...getByRpc },
];

const MANY = 60_000;
const scim = (body) =>
  post('/directory/dir_10000000000000601/scim/v2/Users', body, {
    type: 'application/scim+json',
    headers: { authorization: 'Bearer test_okta_directory_secret_T7qa' },
  });
const putState = (body) => ({ ...post(`${CONTROL}/state`, body), method: 'PUT' });
const eightThousand = (placeholder) => ({
  a: { $repeat: 100, of: { $repeat: 80, of: `{{${placeholder}}}` } },
});

const OTHERS = [
  ...[
    'string.alphanumeric({"length":1000,"casing":"mixed"})',
    'internet.password({"length":1000})',
    'word.words(1000)',
    'lorem.paragraphs(1000)',
  ].map((each) => ({ name: `8000 placeholders ${each}`, first: [tool(eightThousand(each))], ...callTool })),
  {
    name: 'RPC with a large map',
    ...rpc(OrganizationService, 'createOrganization', {
      organization: { displayName: 'x', metadata: objectOf(MANY, '1') },
    }),
  },
  {
    name: 'RPC with a large Struct',
    ...rpc(ToolService, 'executeTool', { toolName: 'x', params: objectOf(MANY, true) }),
  },
  {
    name: 'RPC with a Struct that has a long list',
    ...rpc(ToolService, 'executeTool', { toolName: 'x', params: { a: Array(200_000).fill(true) } }),
  },
  {
    name: 'body of many empty lists',
    method: 'POST',
    path: '/api/v1/organizations',
    body: `{"display_name":"x","metadata":[${Array(249_000).fill('[]').join()}]}`,
  },
  { name: 'SCIM user with unknown members', ...scim({ userName: 'x', ...objectOf(MANY, 1) }) },
  {
    name: 'state of wrong rows',
    ...putState({ organizations: Array.from({ length: 4000 }, () => ({ id: 1, ...objectOf(10, 1) })) }),
  },
  { name: 'state of empty rows', ...putState({ organizations: Array.from({ length: 20_000 }, () => ({})) }) },
  {
    name: 'search of agents for a long text',
    ...agent('describe_operation', { search: 'e'.repeat(400_000) }),
  },
  {
    name: 'search of tools for a long text',
    ...post('/api/v1/tools:search', { query: 'e'.repeat(400_000) }),
  },
  {
    name: 'RPC with a search for a long text',
    ...rpc(OrganizationService, 'searchOrganization', { query: 'e'.repeat(400_000) }),
  },
];

/** Inputs that make as much work as a request can. */
export async function readInputs() {
  const { outputFiles } = await build({
    entryPoints: ['test/support/evil-inputs.ts'],
    write: false,
    format: 'esm',
  });
  const source = Buffer.from(outputFiles[0].text).toString('base64');
  const { EVIL_INPUTS } = await import(`data:text/javascript;base64,${source}`);
  return [...OTHERS, ...EVIL_INPUTS];
}
