import {
  isToolException,
  ScalekitBadRequestException,
  ScalekitGatewayTimeoutException,
  ScalekitNotFoundException,
  ScalekitToolException,
  ScalekitToolForbiddenException,
  ScalekitToolRateLimitException,
  ScalekitToolUnauthorizedException,
} from '@scalekit-sdk/node';
import { expect, it } from 'vitest';
import { enter, expectThrottledOnce } from './support.ts';

const env = await enter();
const { tools } = env.connect();
const profile = { toolName: 'gmail_get_profile', connector: 'gmail', identifier: 'default' };

it('executes a tool', async () => {
  const { data, executionId } = await tools.executeTool(profile);
  expect(executionId).not.toBe('');
  expect(data).toBeTypeOf('object');
  const mails = await tools.executeTool({
    ...profile,
    toolName: 'gmail_fetch_mails',
    params: { max_results: 2 },
  });
  expect(mails.executionId).not.toBe(executionId);
  const ofServer = {
    toolName: 'c-apifymcp_fetch-apify-docs',
    connector: 'apifymcp',
    identifier: 'research-bot',
  };
  expect(await tools.executeTool({ ...ofServer, params: { url: 'https://docs.example.com' } })).toMatchObject(
    {
      data: {},
    },
  );
});

it('pages through tools', async () => {
  const first = await tools.listTools({ pageSize: 20 });
  const second = await tools.listTools({ pageSize: 20, pageToken: first.nextPageToken });
  const names = [...first.tools, ...second.tools].map(({ definition }) => definition!['name']);
  expect(new Set(names).size).toBe(40);
  const named = await tools.listTools({ filter: { toolName: ['exa_search'], summary: true } });
  expect(named.toolNames).toEqual(['exa_search']);

  const scoped = { filter: { connectionNames: ['exa'] }, pageSize: 2 };
  const own = await tools.listScopedTools('research-bot', scoped);
  const rest = await tools.listScopedTools('research-bot', { ...scoped, pageToken: own.nextPageToken });
  expect([...own.tools, ...rest.tools]).toHaveLength(3);
  expect(own.tools[0]).toMatchObject({ identifier: 'research-bot' });

  const available = await tools.listAvailableTools('research-bot', { pageSize: 2 });
  const others = await tools.listAvailableTools('research-bot', {
    pageSize: 2,
    pageToken: available.nextPageToken,
  });
  expect(available.tools).toHaveLength(2);
  expect(others.tools[0]!.definition).not.toEqual(available.tools[0]!.definition);
});

it('throws for an unknown and an invalid tool', async () => {
  const filter = { connectionNames: ['nothing'] };
  await expect(tools.listScopedTools('default', { filter })).rejects.toThrow(ScalekitNotFoundException);
  const unknown = tools.executeTool({ ...profile, toolName: 'nothing' });
  await expect(unknown).rejects.toThrow('tool not found: nothing');
  await expect(unknown).rejects.toThrow(ScalekitNotFoundException);
  await expect(tools.listTools({ filter: { query: 'x' } })).rejects.toThrow(ScalekitBadRequestException);
});

it.each([
  ['tool-failure', ScalekitToolException, 'TOOL_EXEC_FAILED'],
  ['tool-rate-limited', ScalekitToolRateLimitException, 'RATE_LIMIT_EXCEEDED'],
  ['tool-unauthorized', ScalekitToolUnauthorizedException, 'UNAUTHORIZED'],
  ['tool-forbidden', ScalekitToolForbiddenException, 'FORBIDDEN'],
  ['tool-invalid-params', ScalekitToolException, 'INVALID_PARAMS'],
  ['tool-timeout', ScalekitToolException, 'TIMEOUT'],
] as const)('throws a tool exception for an error of the provider: %s', async (name, kind, toolErrorCode) => {
  await env.play(name, { times: 1 });
  const thrown = await tools.executeTool(profile).catch((thrown) => thrown);
  expect(thrown).toBeInstanceOf(kind);
  expect(isToolException(thrown)).toBe(true);
  expect(thrown).toMatchObject({
    errorCode: 'TOOL_ERROR',
    toolErrorCode,
    executionId: expect.stringMatching(/./),
  });
  await tools.executeTool(profile);
});

it('throws when a tool takes longer than the timeout of the client', async () => {
  const hurried = env.connect({ toolTimeoutMs: 300 });
  await hurried.tools.executeTool(profile);
  await env.play('slow-answers', { operation: 'ToolService_ExecuteTool', delay: '20s' });
  await expect(hurried.tools.executeTool(profile)).rejects.toThrow(ScalekitGatewayTimeoutException);
  await env.control('DELETE', '/scenarios/slow-answers');
});

it('throws once when a scenario throttles the call', () =>
  expectThrottledOnce(env, 'ToolService_ListTools', () => tools.listTools()));
