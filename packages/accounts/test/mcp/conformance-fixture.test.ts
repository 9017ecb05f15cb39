import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';

const PATH = '/mcp/v1/c0f0a1b2-3d4e-4f5a-8b6c-7d8e9f0a1b2c';
const HEADERS = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
};

async function ask(method: string, params: object = {}, headers: object = {}) {
  const { anonymous } = await boot({ fixture: 'mcp-conformance' });
  const client = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const info = {
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...client, ...info } } };
  const { name } = params as { name?: string };
  const named = { 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }) };
  return anonymous
    .post(PATH)
    .set({ ...HEADERS, ...named, ...headers })
    .send(message);
}

const call = async (name: string) => (await ask('tools/call', { name, arguments: {} })).body.result.content;

describe('the fixture mcp-conformance', () => {
  it('answers with every kind of content', async () => {
    expect(await call('test_image_content')).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
    expect(await call('test_audio_content')).toMatchObject([{ type: 'audio', mimeType: 'audio/wav' }]);
    expect(await call('test_embedded_resource')).toMatchObject([
      { type: 'resource', resource: { uri: 'test://embedded-resource' } },
    ]);
    expect((await call('test_multiple_content_types')).map(({ type }: { type: string }) => type)).toEqual([
      'text',
      'image',
      'resource',
    ]);
  });

  it('keeps the keywords of an input schema', async () => {
    const { body } = await ask('tools/list');

    const { inputSchema } = body.result.tools.find(
      ({ name }: { name: string }) => name === 'json_schema_2020_12_tool',
    );
    expect(Object.keys(inputSchema)).toEqual(
      expect.arrayContaining(['$schema', '$defs', 'allOf', 'if', 'then', 'else', 'additionalProperties']),
    );
  });

  it.each(['resources/list', 'prompts/list', 'completion/complete'])(
    'lacks %s as every server does',
    async (method) => {
      const { body } = await ask(method);

      expect(body.error).toMatchObject({ code: -32601 });
    },
  );
});
