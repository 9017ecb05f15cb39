import { describe, expect, it } from 'vitest';
import supertest from 'supertest';
import { boot } from '../support/boot.ts';

const ORIGIN = 'https://app.example';

describe('a browser page of another origin', () => {
  it.each(['/keys', '/.well-known/openid-configuration'])('can read %s', async (path) => {
    const { anonymous } = await boot();

    const answer = await anonymous.get(path).set('origin', ORIGIN).expect(200);

    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'origin' });
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('can read the error of the token endpoint', async () => {
    const { anonymous } = await boot();

    const answer = await anonymous
      .post('/oauth/token')
      .type('form')
      .send({})
      .set('origin', ORIGIN)
      .expect(400);

    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN });
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it.each(['/', '/oauth/authorize', '/oidc/logout', '/ui/login'])('cannot read the page %s', async (path) => {
    const { anonymous } = await boot();

    const answer = await anonymous.get(path).set('origin', ORIGIN);

    expect(Object.keys(answer.headers).join()).not.toContain('access-control');
  });

  it('can send a preflight request, which is not in the journal', async () => {
    const { understudy, control } = await boot();
    const before = (await control.get('/requests').expect(200)).body.requests;

    const answer = await supertest(understudy.app)
      .options('/oauth/token')
      .set({
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type',
      })
      .expect(204);

    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type',
    });
    expect((await control.get('/requests').expect(200)).body.requests).toEqual(before);
  });

  it('cannot read an operation that only servers call', async () => {
    const { api } = await boot();

    const answer = await api.get('/api/v1/organizations').set('origin', ORIGIN).expect(200);

    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

it('gets no CORS headers when the request has no origin', async () => {
  const { anonymous } = await boot();

  const answer = await anonymous.get('/keys').expect(200);

  expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
});
