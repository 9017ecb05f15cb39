import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/start/config.ts';
import { boot } from '../support/boot.ts';
import { agentOf } from './agents.ts';

const CLOCK = '/_control/v1/clock';
const RESET = '/_control/v1/reset';
const PORT = 'localhost:8080';

const FETCH = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };

/** The headers of Node's own fetch, which sends one of the headers that browsers send. */
const NODE = { 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };
/** The headers of Chromium for a same-origin GET over plain http to a host other than localhost. */
const REBOUND = { 'accept-language': 'en-US,en;q=0.9', 'user-agent': 'Mozilla/5.0' };

async function calling(config: Partial<Config> = {}) {
  const { understudy, control } = await boot(config);
  return {
    control,
    get: (headers: Record<string, string>, path = CLOCK) => agentOf(understudy.app, headers).get(path),
    post: (headers: Record<string, string>, path = RESET) => agentOf(understudy.app, headers).post(path),
    options: (headers: Record<string, string>) => supertest(understudy.app).options(CLOCK).set(headers),
  };
}

describe('a web page of another origin', () => {
  it.each([
    ['https://evil.example', 'cross-site'],
    ['http://localhost:3000', 'same-site'],
    ['http://evil.localhost:8080', 'cross-site'],
    ['http://localhost.evil.example:8080', 'cross-site'],
    ['http://localhost:8080.evil.example', 'cross-site'],
  ])('at %s is refused, the message names the flag, and nothing changes', async (origin, site) => {
    const { control, post } = await calling();
    await control.put('/clock').send({ mode: 'frozen', at: '2030-01-01T00:00:00Z' }).expect(200);

    const page = { host: PORT, origin, 'sec-fetch-site': site, ...FETCH };
    const { body, headers } = await post(page).expect(403);

    expect(body).toMatchObject({ code: 7, details: [{ error_code: 'PERMISSION_DENIED' }] });
    expect(body.message).toContain(`does not answer web pages of ${origin}`);
    expect(body.message).toContain(`--control-origin ${origin}`);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect((await control.get('/clock').expect(200)).body.now).toBe('2030-01-01T00:00:00.000Z');
  });

  it('is refused when it has an opaque origin, as in a sandboxed frame', async () => {
    const { post } = await calling();

    const { body } = await post({ host: PORT, origin: 'null' }).expect(403);

    expect(body.message).toContain('Origin: null');
    expect(body.message).toContain('--control-origin');
  });

  it.each(['image', 'script', 'iframe', 'frame', 'object', 'empty'])(
    'is refused when it loads a response as %s, without an origin',
    async (dest) => {
      const { get } = await calling();
      const mode = dest.includes('frame') ? 'navigate' : 'no-cors';

      for (const site of ['cross-site', 'same-site']) {
        const page = { host: PORT, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
        const { body } = await get(page).expect(403);
        expect(body.message).toContain('--control-origin');
      }
    },
  );

  it('is refused before its body is read, even with the token', async () => {
    const { post } = await calling({ controlToken: 'hush' });
    const page = { host: PORT, origin: 'https://evil.example', authorization: 'Bearer hush' };

    await post(page).set('content-type', 'text/plain').send('x'.repeat(2_000_000)).expect(403);
  });

  it('may link to a page, but not submit a form to it', async () => {
    const { get, post } = await calling();
    const link = {
      host: PORT,
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };

    await get(link, '/_control/v1/mail?format=html').expect(200);
    await post({ ...link, origin: 'https://mail.example' }).expect(403);
    await post(link).expect(403);
  });
});

describe('--control-origin', () => {
  const APP = 'http://app.example:3000';
  const page = { host: PORT, origin: APP, 'sec-fetch-site': 'cross-site', ...FETCH };

  it('lets pages of that origin call and read the responses', async () => {
    const { get, options } = await calling({ controlOrigins: [APP] });

    const asked = await options({
      ...page,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'content-type,understudy-environment',
      'access-control-request-private-network': 'true',
    }).expect(204);
    const answered = await get(page).expect(200);

    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-headers': 'content-type,understudy-environment',
      'access-control-allow-methods': expect.stringContaining('PUT'),
      'access-control-allow-private-network': 'true',
    });
    expect(answered.headers).toMatchObject({ 'access-control-allow-origin': APP, vary: 'origin' });
    expect(answered.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('lets no other page call', async () => {
    const { get, options } = await calling({ controlOrigins: [APP] });
    const other = { ...page, origin: 'http://app.example' };

    await get(other).expect(403);
    await options({ ...other, 'access-control-request-method': 'PUT' }).expect(403);
  });

  it.each(['*', 'app.example', 'http://app.example/path', 'file:///app', 'null'])(
    'does not accept %s',
    async (origin) => {
      await expect(boot({ controlOrigins: [origin] })).rejects.toThrow(
        `--control-origin: ${origin} is not an origin`,
      );
    },
  );
});

describe('a browser', () => {
  const typed = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  it.each([
    'localhost',
    'localhost:8080',
    'LOCALHOST:8080',
    'localhost.:8080',
    'red.localhost:8080',
    '127.0.0.1:8080',
    '127.0.0.53:8080',
    '[::1]:8080',
  ])('may call at %s without a flag', async (host) => {
    const { get, post } = await calling();

    await get({ host, ...typed }).expect(200);
    await get({ host, 'sec-fetch-site': 'same-origin', ...FETCH }).expect(200);
    await post({ host, origin: `http://${host}`.toLowerCase(), 'sec-fetch-site': 'same-origin' }).expect(204);
  });

  it.each([
    'evil.example:8080',
    'understudy:8080',
    '192.168.1.5:8080',
    '[fe80::1]:8080',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evillocalhost',
    '127.evil.example:8080',
  ])('that calls at %s is refused, and the message names the flag', async (host) => {
    const { get, post } = await calling();

    for (const answer of [
      await get({ host, 'sec-fetch-site': 'same-origin', ...FETCH }),
      await post({ host, origin: `http://${host}` }),
    ]) {
      expect(answer.status).toBe(421);
      expect(answer.body.details[0].error_code).toBe('MISDIRECTED_REQUEST');
      const name = host.replace(/:8080$/, '').replace(/[[\]]/g, '');
      expect(answer.body.message).toContain(`--allow-host ${name} `);
    }
  });

  it.each([
    ['understudy:8080', { allowHosts: ['understudy'] }],
    ['UNDERSTUDY:8080', { allowHosts: ['Understudy'] }],
    ['192.168.1.5:8080', { allowHosts: ['192.168.1.5'] }],
    ['red.app.example', { allowHosts: ['*.app.example'] }],
    ['idp.example', { tls: { own: undefined, hosts: ['idp.example'] } }],
    ['sim.example:9000', { baseUrl: 'https://sim.example:9000' }],
  ] satisfies [string, Partial<Config>][])('may call at %s with %j', async (host, config) => {
    const { get, post } = await calling(config);

    await get({ host, 'sec-fetch-site': 'same-origin', ...FETCH }).expect(200);
    await post({ host, origin: `http://${host}`.toLowerCase() }).expect(204);
    await get({ host, ...REBOUND }).expect(200);
    await get({ host: 'app.example', 'sec-fetch-site': 'none' }).expect(421);
  });

  it.each(['*', 'http://app.example', 'app.example:8080', 'a b', ''])(
    'cannot be allowed for %j, which is not a host',
    async (host) => {
      await expect(boot({ allowHosts: [host] })).rejects.toThrow(`--allow-host: ${host} is not a host`);
    },
  );

  it('that calls at a foreign host name is refused, even without Origin and Sec-Fetch-Site', async () => {
    const { get } = await calling();

    const { body } = await get({ host: 'evil.example:8080', ...REBOUND }).expect(421);
    await get({ host: 'evil.example:8080', 'accept-language': '' }).expect(421);

    expect(body.message).toContain('--allow-host evil.example');
  });

  it('gets headers that forbid frames and cross-origin reads', async () => {
    const { get } = await calling();

    const json = await get({ host: PORT }).expect(200);
    const mails = await get({ host: PORT }, '/_control/v1/mail?format=html').expect(200);

    for (const { headers } of [json, mails]) {
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });
});

describe('behind a trusted proxy', () => {
  const config = { trustProxy: true, baseUrl: 'https://sim.example' };
  const forwarded = { 'x-forwarded-host': 'sim.example', 'x-forwarded-proto': 'https' };

  it('the forwarded host counts', async () => {
    const { get, post } = await calling(config);

    await get({ host: 'understudy:8080', ...forwarded, 'sec-fetch-site': 'same-origin' }).expect(200);
    await post({ host: 'understudy:8080', ...forwarded, origin: 'https://sim.example' }).expect(204);
    await get({ host: 'sim.example', 'x-forwarded-host': 'other.example', 'sec-fetch-site': 'none' }).expect(
      421,
    );
  });

  it('a page cannot forge the forwarded host', async () => {
    const { get } = await calling(config);
    const host = 'evil.example:8080';

    await get({ host, 'x-forwarded-host': 'localhost', ...REBOUND }).expect(421);
    await get({ host, 'x-forwarded-host': 'localhost', 'sec-fetch-site': 'same-origin' }).expect(421);
    await get({
      host: 'understudy',
      'x-forwarded-host': 'localhost, evil.example',
      'sec-fetch-site': 'same-origin',
    }).expect(421);
  });
});

describe('a program', () => {
  it.each([
    'understudy:8080',
    'understudy.default.svc.cluster.local:8080',
    '10.1.2.3:8080',
    '[fd00::7]:8080',
  ])('may call at %s without a flag', async (host) => {
    const { get, post } = await calling();

    await get({ host }).expect(200);
    await get({ host, ...NODE }).expect(200);
    await post({ host, ...NODE }).expect(204);
  });

  it('still needs the control token', async () => {
    const { get } = await calling({ controlToken: 'hush' });

    await get({ host: 'understudy:8080', authorization: 'Bearer hush' }).expect(200);
    await get({ host: 'understudy:8080' }).expect(401);
  });
});

describe('the API of the service', () => {
  const ORGANIZATIONS = '/api/v1/organizations';

  it.each([
    ['that sends Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
    ['that sends Origin', { origin: 'http://evil.example:8080' }],
    ['that sends neither', REBOUND],
  ])('does not respond to a page at a foreign host name, %s', async (_, headers) => {
    const { get } = await calling();

    const { body } = await get({ host: 'evil.example:8080', ...headers }, ORGANIZATIONS).expect(421);
    await get({ host: 'evil.example:8080', ...headers }, '/proxy/anything').expect(421);

    expect(body.message).toContain('--allow-host evil.example');
  });

  it('responds to programs at any host, and to browsers at local names and IP addresses', async () => {
    const { get } = await calling();

    await get({ host: 'understudy.svc.cluster.local', ...NODE }, ORGANIZATIONS).expect(401);
    await get({ host: 'understudy:8080', ...REBOUND }, ORGANIZATIONS).expect(401);
    await get({ host: '192.168.1.5:8080', 'sec-fetch-site': 'same-origin' }, ORGANIZATIONS).expect(401);
  });

  it('serves pages, sign-ins and documents at any host', async () => {
    const { get } = await calling();

    for (const path of ['/', '/openapi.json', '/.well-known/openid-configuration', '/keys'])
      await get({ host: 'evil.example', ...REBOUND }, path).expect(200);
  });
});
