import express, { type Express } from 'express';
import supertest from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startUnderstudy, type StartOptions, type Understudy } from 'understudy-server/testing';
import { Browser } from '../support/browser.ts';

const DISCOVERY = '/.well-known/openid-configuration';

async function started(options: StartOptions = {}): Promise<Understudy> {
  const sim = await startUnderstudy(options);
  onTestFinished(() => sim.stop());
  return sim;
}

/** An app of the user that mounts simulators at these paths. */
function mounting(mounts: Record<string, Understudy>): Express {
  const app = express();
  app.get('/mine', (_, response) => void response.send('mine'));
  for (const [path, sim] of Object.entries(mounts)) app.use(path, sim.app);
  return app;
}

const authorized = async (sim: Understudy) => ({ authorization: `Bearer ${await sim.accessToken()}` });

describe('sim.app', () => {
  it('serves the API and the control API with the environments of `sim`', async () => {
    const sim = await started();
    const { body } = await supertest(sim.app)
      .post('/api/v1/organizations')
      .set(await authorized(sim))
      .send({ display_name: 'Initech' })
      .expect(201);

    expect(await sim.state.list('organizations')).toContainEqual(
      expect.objectContaining({ id: body.organization.id, display_name: 'Initech' }),
    );
    await supertest(sim.app).get('/_control/v1/health').expect(200);
    await supertest(sim.app).get('/openapi.json').expect(200);
  });

  it('adds no extra header', async () => {
    const sim = await started();
    const { headers } = await supertest(sim.app).get(DISCOVERY).expect(200);
    expect(Object.keys(headers).toSorted()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'date',
      'understudy-request-id',
    ]);
  });

  it('exists only in mode in-process', async () => {
    const sim = await started({ mode: 'child-process' });
    expect(() => sim.app).toThrow(
      "only a service that startUnderstudy() starts with mode 'in-process' has an app",
    );
  });
});

describe('sim.app mounted in another app', () => {
  it('handles everything below its path and nothing else', async () => {
    const [one, other] = await Promise.all([started({ fixture: 'empty' }), started()]);
    const app = mounting({ '/one': one, '/nested/other': other });

    await supertest(app).get('/mine').expect('mine');
    const { body: none } = await supertest(app)
      .get('/one/api/v1/organizations')
      .set(await authorized(one))
      .expect(200);
    const { body: some } = await supertest(app)
      .get('/nested/other/api/v1/organizations?page_size=1')
      .set(await authorized(other))
      .expect(200);
    expect([none.total_size, some.organizations.length]).toEqual([0, 1]);
    await supertest(app)
      .put('/one/_control/v1/clock')
      .send({ mode: 'frozen', at: '2030-01-01T00:00:00Z' })
      .expect(200);
    expect((await one.clock.get()).now).toMatch(/^2030-01-01/);
    const { body: lost } = await supertest(app).get('/one/nowhere').expect(404);
    expect(lost.message).toBe('no operation has the path /nowhere');
  });

  it('has its path in issuer, links and control responses', async () => {
    const app = mounting({ '/scalekit': await started() });
    const host = { host: 'app.example:4000' };
    const { body } = await supertest(app).get(`/scalekit${DISCOVERY}`).set(host).expect(200);
    expect([body.issuer, body.token_endpoint]).toEqual([
      'http://app.example:4000/scalekit',
      'http://app.example:4000/scalekit/oauth/token',
    ]);
    const { body: home } = await supertest(app).get('/scalekit/_control/v1/environments/default').set(host);
    expect(home.base_url).toBe('http://app.example:4000/scalekit');
  });

  it('signs a user in on its pages', async () => {
    const sim = await started();
    const app = mounting({ '/scalekit': sim });
    const browser = new Browser({ understudy: { app } } as never);
    const query = new URLSearchParams({
      client_id: sim.clientId,
      redirect_uri: 'http://localhost:3000/callback',
      response_type: 'code',
      scope: 'openid',
    });
    const begun = await supertest(app).get(`/scalekit/oauth/authorize?${query}`).expect(302);
    expect(begun.headers['set-cookie']).toEqual([expect.stringContaining('; Path=/scalekit/')]);
    const page = await browser.open(`/scalekit/oauth/authorize?${query}`);
    expect(new URL(page.url).pathname).toMatch(/^\/scalekit\/ui\/login\//);
    expect([...page.text.matchAll(/(?:href|action)="(\/[^"]*)"/g)].map(([, path]) => path)).toSatisfy(
      (paths: string[]) => paths.length > 0 && paths.every((path) => path.startsWith('/scalekit/')),
    );
    const provider = await page.submit({ email: 'ada@acme.example' });
    expect(new URL(provider.url).pathname).toMatch(/^\/scalekit\/ui\/identity-provider\//);
    const back = await provider.submit();
    expect(back.url).toMatch(/^http:\/\/localhost:3000\/callback\?/);
    expect(back.query('code')).toBeTruthy();
  });

  it('serves RPCs', async () => {
    const app = mounting({ '/scalekit': await started() });
    const { body } = await supertest(app)
      .post('/scalekit/scalekit.v1.organizations.OrganizationService/ListOrganization')
      .send({ pageSize: 1 })
      .expect(401);
    expect(body.code).toBe('unauthenticated');
  });

  it('refuses a body that the app has already parsed', async () => {
    const sim = await started();
    const app = express().use(express.json()).use(sim.app);
    const { body } = await supertest(app)
      .post('/api/v1/organizations')
      .set(await authorized(sim))
      .send({ display_name: 'Initech' })
      .expect(400);
    expect(body.message).toContain('mount sim.app before body parsers such as express.json()');
  });
});
