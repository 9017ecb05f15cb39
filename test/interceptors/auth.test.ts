import { Scalekit } from '@scalekit-sdk/node';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { receiver, type Answer } from '../support/receiver.ts';
import { askForToken, intercept, latest } from './support.ts';

const sdk = new Scalekit('http://localhost', 'skc_1', 'secret');

/** Creates an interceptor with OAuth2 and the token endpoint that it uses. */
async function interceptWithOAuth({ api }: Pick<Booted, 'api'>, issues: Answer, more: object = {}) {
  const [interceptor, issuer] = [await receiver(), await receiver(issues)];
  const oauth2 = { token_url: issuer.url, client_id: 'hooks', client_secret: 'hook-secret', ...more };
  await intercept(api, {
    api_url: interceptor.url,
    config: { auth_config: { auth_config_type: 'OAUTH2', oauth2 } },
  });
  return { gate: interceptor, issuer };
}

/** Answers a different token each time. */
const numbered = (lifetime: object) => {
  let number = 0;
  return (response: { end(text: string): unknown }) =>
    response.end(JSON.stringify({ access_token: `access-token-${(number += 1)}`, ...lifetime }));
};

const tokens = ({ received }: { received: { headers: { authorization?: string | undefined } }[] }) =>
  received.map(({ headers }) => headers.authorization);

describe('the request of an interceptor', () => {
  it('has a signature that each SDK verifies, in both sets of headers', async () => {
    const { api, anonymous, control } = await boot();
    const interceptor = await receiver();
    const { id } = await intercept(api, { api_url: interceptor.url });

    await askForToken({ anonymous }).expect(200);

    const { secret } = (await control.get(`/state/interceptors/${id}`).expect(200)).body;
    const { headers, text } = interceptor.received[0]!;
    const sent = headers as Record<string, string>;
    expect(sdk.verifyInterceptorPayload(secret, sent, text)).toBe(true);
    expect(sdk.verifyWebhookPayload(secret, sent, text)).toBe(true);
    expect(new Webhook(secret).verify(text, sent)).toEqual(interceptor.received[0]!.body);
    expect(() => sdk.verifyInterceptorPayload(secret, sent, `${text} `)).toThrow('Invalid Signature');
    expect(sent['interceptor-id']).toMatch(/^msg_\d{18}$/);
    for (const name of ['id', 'timestamp', 'signature'])
      expect(sent[`interceptor-${name}`]).toBe(sent[`webhook-${name}`]);
  });

  it('has its own id, which repeats after a reset', async () => {
    const { api, anonymous, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    const interceptor = await receiver();
    const run = async () => {
      await intercept(api, { api_url: interceptor.url });
      await askForToken({ anonymous }).expect(200);
      await askForToken({ anonymous }).expect(200);
      return interceptor.received.splice(0).map(({ headers }) => headers['interceptor-id']);
    };
    await control.post('/reset').expect(204);
    const first = await run();
    await control.post('/reset').expect(204);

    expect(await run()).toEqual(first);
    expect(new Set(first).size).toBe(2);
  });

  it('sends the API key in the configured header, and the journal redacts it', async () => {
    const { api, anonymous, control } = await boot();
    const interceptor = await receiver();
    const auth_config = {
      auth_config_type: 'API_KEY',
      api_key: { api_key: 'key', header_name: 'X-Gate' },
    };
    await intercept(api, { api_url: interceptor.url, config: { auth_config } });

    await askForToken({ anonymous }).expect(200);

    expect(interceptor.received[0]!.headers['x-gate']).toBe('key');
    const { interceptors } = await latest(control);
    expect(interceptors[0].request.headers).toMatchObject({ 'X-Gate': '[redacted]' });
  });

  it.each(['Transfer-Encoding', 'host', 'content-length', 'Trailer'])(
    'sends no API key in a header that breaks the request: %s',
    async (header_name) => {
      const { api, anonymous, control } = await boot();
      const interceptor = await receiver();
      const auth_config = { auth_config_type: 'API_KEY', api_key: { api_key: 'key', header_name } };
      await intercept(api, { api_url: interceptor.url, config: { auth_config } });

      await askForToken({ anonymous });

      expect(interceptor.received).toEqual([]);
      const { interceptors } = await latest(control);
      expect(JSON.stringify(interceptors[0])).toContain(`the header ${header_name} is not sent`);
    },
  );

  it('sends an OAuth2 access token and caches it until it expires by the clock of the environment', async () => {
    const { api, anonymous, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    const { gate: interceptor, issuer } = await interceptWithOAuth({ api }, numbered({ expires_in: 60 }), {
      scope: 'hooks',
    });

    await askForToken({ anonymous }).expect(200);
    await askForToken({ anonymous }).expect(200);
    expect(JSON.stringify(await latest(control))).not.toContain('access-token-1');
    await control.post('/clock/advance').send({ by: '61s' }).expect(200);
    await askForToken({ anonymous }).expect(200);

    expect(tokens(interceptor)).toEqual([
      'Bearer access-token-1',
      'Bearer access-token-1',
      'Bearer access-token-2',
    ]);
    expect(issuer.received).toHaveLength(2);
    expect(Object.fromEntries(new URLSearchParams(issuer.received[0]!.text))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'hooks',
      client_secret: 'hook-secret',
      scope: 'hooks',
    });
  });

  it('gets another access token when the first is refused, and retries once', async () => {
    const { api, anonymous } = await boot();
    const { gate: interceptor, issuer } = await interceptWithOAuth({ api }, numbered({}));
    await askForToken({ anonymous }).expect(200);
    interceptor.answers((response, { headers }) =>
      headers.authorization === 'Bearer access-token-1'
        ? response.writeHead(401).end()
        : response.end('{"decision":"ALLOW"}'),
    );

    await askForToken({ anonymous }).expect(200);

    expect(tokens(interceptor).slice(1)).toEqual(['Bearer access-token-1', 'Bearer access-token-2']);
    interceptor.answers((response) => response.writeHead(401).end());
    await askForToken({ anonymous }).expect(403);
    expect(issuer.received).toHaveLength(3);
  });

  it.each([
    ['refuses', (response: { writeHead(s: number): { end(): unknown } }) => response.writeHead(401).end()],
    ['returns no token', {}],
    ['returns a token that a header cannot contain', { access_token: 'a\nb' }],
    ['returns a number as the token', { access_token: 5 }],
  ] as [string, Answer][])('is not sent when the token endpoint %s', async (_, issues) => {
    const { api, anonymous, control } = await boot();
    const { gate: interceptor } = await interceptWithOAuth({ api }, issues);

    await askForToken({ anonymous }).expect(403);

    expect(interceptor.received).toEqual([]);
    const { interceptors } = await latest(control);
    expect(interceptors[0].error).toContain('gave no access token');
  });
});
