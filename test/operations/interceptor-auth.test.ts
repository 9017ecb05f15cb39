import { Scalekit } from '@scalekit-sdk/node';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { receiver, type Answer } from '../support/receiver.ts';
import { askForToken, intercept, latest } from './interceptor-support.ts';

const sdk = new Scalekit('http://localhost', 'skc_1', 'secret');

/** An interceptor that wants a token, and where it gets it. */
async function guarded({ api }: Pick<Booted, 'api'>, issues: Answer, more: object = {}) {
  const [gate, issuer] = [await receiver(), await receiver(issues)];
  const oauth2 = { token_url: issuer.url, client_id: 'hooks', client_secret: 'hook-secret', ...more };
  await intercept(api, {
    api_url: gate.url,
    config: { auth_config: { auth_config_type: 'OAUTH2', oauth2 } },
  });
  return { gate, issuer };
}

/** A new one each time. */
const numbered = (lifetime: object) => {
  let number = 0;
  return (response: { end(text: string): unknown }) =>
    response.end(JSON.stringify({ access_token: `access-token-${(number += 1)}`, ...lifetime }));
};

const tokens = ({ received }: { received: { headers: { authorization?: string | undefined } }[] }) =>
  received.map(({ headers }) => headers.authorization);

describe('a call of an interceptor', () => {
  it('is signed for every SDK, with both sets of headers', async () => {
    const { api, anonymous, control } = await boot();
    const gate = await receiver();
    const { id } = await intercept(api, { api_url: gate.url });

    await askForToken({ anonymous }).expect(200);

    const { secret } = (await control.get(`/state/interceptors/${id}`).expect(200)).body;
    const { headers, text } = gate.received[0]!;
    const sent = headers as Record<string, string>;
    expect(sdk.verifyInterceptorPayload(secret, sent, text)).toBe(true);
    expect(sdk.verifyWebhookPayload(secret, sent, text)).toBe(true);
    expect(new Webhook(secret).verify(text, sent)).toEqual(gate.received[0]!.body);
    expect(() => sdk.verifyInterceptorPayload(secret, sent, `${text} `)).toThrow('Invalid Signature');
    expect(sent['interceptor-id']).toMatch(/^msg_\d{18}$/);
    for (const name of ['id', 'timestamp', 'signature'])
      expect(sent[`interceptor-${name}`]).toBe(sent[`webhook-${name}`]);
  });

  it('has an id of its own, the same each time that the same is done', async () => {
    const { api, anonymous, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    const gate = await receiver();
    const run = async () => {
      await intercept(api, { api_url: gate.url });
      await askForToken({ anonymous }).expect(200);
      await askForToken({ anonymous }).expect(200);
      return gate.received.splice(0).map(({ headers }) => headers['interceptor-id']);
    };
    await control.post('/reset').expect(204);
    const first = await run();
    await control.post('/reset').expect(204);

    expect(await run()).toEqual(first);
    expect(new Set(first).size).toBe(2);
  });

  it('carries the API key in the header that was chosen, and the journal does not tell it', async () => {
    const { api, anonymous, control } = await boot();
    const gate = await receiver();
    const auth_config = {
      auth_config_type: 'API_KEY',
      api_key: { api_key: 'key', header_name: 'X-Gate' },
    };
    await intercept(api, { api_url: gate.url, config: { auth_config } });

    await askForToken({ anonymous }).expect(200);

    expect(gate.received[0]!.headers['x-gate']).toBe('key');
    const { interceptors } = await latest(control);
    expect(interceptors[0].request.headers).toMatchObject({ 'X-Gate': '[redacted]' });
  });

  it('carries a token of its own, which is kept until it expires on the environment’s clock', async () => {
    const { api, anonymous, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    const { gate, issuer } = await guarded({ api }, numbered({ expires_in: 60 }), { scope: 'hooks' });

    await askForToken({ anonymous }).expect(200);
    await askForToken({ anonymous }).expect(200);
    expect(JSON.stringify(await latest(control))).not.toContain('access-token-1');
    await control.post('/clock/advance').send({ by: '61s' }).expect(200);
    await askForToken({ anonymous }).expect(200);

    expect(tokens(gate)).toEqual(['Bearer access-token-1', 'Bearer access-token-1', 'Bearer access-token-2']);
    expect(issuer.received).toHaveLength(2);
    expect(Object.fromEntries(new URLSearchParams(issuer.received[0]!.text))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'hooks',
      client_secret: 'hook-secret',
      scope: 'hooks',
    });
  });

  it('gets another token where the one it had is refused, and asks again once', async () => {
    const { api, anonymous } = await boot();
    const { gate, issuer } = await guarded({ api }, numbered({}));
    await askForToken({ anonymous }).expect(200);
    gate.answers((response, { headers }) =>
      headers.authorization === 'Bearer access-token-1'
        ? response.writeHead(401).end()
        : response.end('{"decision":"ALLOW"}'),
    );

    await askForToken({ anonymous }).expect(200);

    expect(tokens(gate).slice(1)).toEqual(['Bearer access-token-1', 'Bearer access-token-2']);
    gate.answers((response) => response.writeHead(401).end());
    await askForToken({ anonymous }).expect(403);
    expect(issuer.received).toHaveLength(3);
  });

  it.each([
    ['refuses', (response: { writeHead(s: number): { end(): unknown } }) => response.writeHead(401).end()],
    ['has none', {}],
    ['has one that no header can hold', { access_token: 'a\nb' }],
    ['has a number', { access_token: 5 }],
  ] as [string, Answer][])('is not made where whoever gives the token %s', async (_, issues) => {
    const { api, anonymous, control } = await boot();
    const { gate } = await guarded({ api }, issues);

    await askForToken({ anonymous }).expect(403);

    expect(gate.received).toEqual([]);
    const { interceptors } = await latest(control);
    expect(interceptors[0].error).toContain('gave no access token');
  });
});
