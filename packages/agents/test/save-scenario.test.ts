import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bootPort, connectAgent } from '../../../test/support/mcp.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fresh = bootPort({ scenarioFolders: [folder] });

const YAML = `name: own
rules:
  - on: OrganizationService_CreateOrganization
    reply: { error: rate_limited }
`;

it('save_scenario writes a file that can be loaded by its name, and replaces it only if told to', async () => {
  const { api, at, own } = await fresh();
  const { client } = await connectAgent(at('http://x/_control/mcp'), { environment: own.name });
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args });
    return { isError, text: (content as { text: string }[])[0]!.text };
  };
  const changed = YAML.replace('rate_limited', 'unavailable');

  const saved = await call('save_scenario', { name: 'own', yaml: YAML });
  const taken = await call('save_scenario', { name: 'own', yaml: changed });
  const kept = readFileSync(join(folder, 'own.yaml'), 'utf8');
  const broken = await call('save_scenario', { name: 'own', yaml: 'name: own\nrule: []', overwrite: true });
  const outside = await call('save_scenario', { name: '../own', yaml: YAML });
  const loaded = await call('load_scenario', { name: 'own' });
  await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(429);
  const replaced = await call('save_scenario', { name: 'own', yaml: changed, overwrite: true });

  expect(saved).toEqual({ isError: false, text: expect.stringContaining('own.yaml') });
  expect(taken).toEqual({ isError: true, text: expect.stringMatching(/own.*(exists|there)/) });
  expect(kept).toBe(YAML);
  expect(broken).toEqual({ isError: true, text: expect.stringMatching(/rules/) });
  expect(outside).toEqual({ isError: true, text: expect.stringMatching(/^name: /) });
  expect(loaded.isError).toBe(false);
  expect(replaced.isError).toBe(false);
  expect(readFileSync(join(folder, 'own.yaml'), 'utf8')).toBe(changed);
});
