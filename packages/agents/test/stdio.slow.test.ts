import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePort, makeFolder, serve } from '../../../test/support/process.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'dist', 'understudy.js');

/** The official client, connected to `understudy mcp` in a process of its own. */
async function startAgent(args: string[], variables: Record<string, string> = {}) {
  const client = new Client({ name: 'test-agent', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', ...variables },
    cwd: makeFolder(),
    stderr: 'pipe',
  });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: input });
    return { text: (content as { text: string }[])[0]!.text, isError };
  };
  return { client, call };
}

it('understudy mcp starts a service in memory where none runs, and it ends with the agent', async () => {
  const port = await freePort();
  const { client, call } = await startAgent([], { UNDERSTUDY_PORT: String(port) });

  const { tools } = await client.listTools();
  const status = await call('get_status');
  const health = await fetch(`http://localhost:${port}/_control/v1/health`);
  const created = await call('call_operation', {
    operation: 'OrganizationService_CreateOrganization',
    body: { display_name: 'Acme' },
  });
  await client.close();

  expect(tools).toHaveLength(32);
  expect(status.text).toContain(`at http://localhost:${port}`);
  expect(health.status).toBe(200);
  expect(created.text).toContain('→ 201');
  await expect(fetch(`http://localhost:${port}/_control/v1/health`)).rejects.toThrow();
});

it('understudy mcp controls the running service of --url, and names it when it is gone', async () => {
  const service = await serve();
  await service.control.post('/environments').send({ name: 'mine' }).expect(201);
  const { client, call } = await startAgent(['--url', service.url, '--environment', 'mine']);

  const status = await call('get_status');
  const dropped = await call('load_scenario', { name: 'dropped-connections' });
  const broken = await call('call_operation', { operation: 'OrganizationService_ListOrganization' });
  await service.stop();
  const gone = await call('get_status');
  const { resources } = await client.listResources();

  expect(status.text).toContain('Environment mine');
  expect(dropped.isError).toBeUndefined();
  expect(broken).toEqual({ isError: true, text: expect.stringContaining('no answer: ') });
  expect(gone).toEqual({ isError: true, text: expect.stringContaining(service.url) });
  expect(resources.map(({ uri }) => uri)).toContain('understudy://docs/scenarios');
});
