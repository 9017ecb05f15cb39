import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { checkAuthorization } from './authorization.mjs';

const PROGRAM = 'node_modules/understudy-server/dist/understudy.js';
const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';

/** The tools that the suite calls, as far as a tool of the service can be like them. */
const TOOLS = [
  { name: 'test_simple_text', response: { text: 'This is a simple text response for testing.' } },
  {
    name: 'test_error_handling',
    answers: [{ when: {}, error: { message: 'This tool intentionally returns an error for testing' } }],
  },
];

const flags = ['serve', '--memory', '--port', '0', '--json', '--stop-with-stdin', '--log-level', 'warn'];
const understudy = spawn(process.execPath, [PROGRAM, ...flags], { stdio: ['pipe', 'pipe', 'inherit'] });
const { value: line } = await createInterface(understudy.stdout)[Symbol.asyncIterator]().next();
const { url, client_id, client_secret } = JSON.parse(line);
const address = await serverWithTools();
const args = [SUITE, 'server', '--url', address, '--expected-failures', 'expected-failures.yaml'];
const { status: server } = spawnSync(process.execPath, args, { stdio: 'inherit' });
const authorization = await checkAuthorization(url);
understudy.kill();
process.exitCode = server !== 0 ? 1 : authorization;

/** The address of an instance that offers the tools. */
async function serverWithTools() {
  for (const [index, { name, ...row }] of TOOLS.entries()) {
    const definition = { name, description: name, input_schema: { type: 'object', properties: {} } };
    const tool = { provider: 'EXA', definition, tags: [], updated_at: '2026-01-01T00:00:00Z', ...row };
    await send('PUT', `/_control/v1/state/tools/tol_4000000000000000${index}`, tool);
  }
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const { access_token } = await send('POST', '/oauth/token', form);
  const mapping = [{ connection_name: 'exa', tools: TOOLS.map(({ name }) => name) }];
  const config = { name: 'conformance', connection_tool_mappings: mapping };
  await send('POST', '/api/v1/mcp/configs', config, access_token);
  const wanted = { config_name: 'conformance', user_identifier: 'research-bot' };
  const { instance } = await send('POST', '/api/v1/mcp/instances', wanted, access_token);
  return instance.url;
}

async function send(method, path, content, token) {
  const isForm = content instanceof URLSearchParams;
  const headers = {
    ...(!isForm && { 'content-type': 'application/json' }),
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const body = isForm ? content : JSON.stringify(content);
  const request = { method, headers, body };
  const answer = await fetch(`${url}${path}`, request);
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
