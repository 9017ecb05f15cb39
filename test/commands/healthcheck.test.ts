import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort, run, serve } from '../support/process.ts';

describe('understudy healthcheck', () => {
  it.each([
    ['--port', (port: string) => ({ args: ['--port', port], variables: {} })],
    ['UNDERSTUDY_PORT', (port: string) => ({ args: [], variables: { UNDERSTUDY_PORT: port } })],
    ['PORT', (port: string) => ({ args: [], variables: { PORT: port } })],
  ])('exits with 0 when the service at %s is ready', async (_, told) => {
    const service = await serve([], { variables: { UNDERSTUDY_CONTROL_TOKEN: 'let-me-in' } });
    const { args, variables } = told(new URL(service.url).port);

    const exit = await run(['healthcheck', ...args], { variables });

    expect(exit).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });

  it('exits with 1 and says so when nobody listens', async () => {
    const port = await freePort();

    const exit = await run(['healthcheck', '--port', String(port)]);

    expect(exit).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `understudy: no healthy understudy on port ${port}\n`,
    });
  });

  it('exits with 1 when what listens is not healthy', async () => {
    const other = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    expect(await run(['healthcheck', '--port', String(port)])).toMatchObject({ code: 1 });
  });
});
