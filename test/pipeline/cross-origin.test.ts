import { describe, expect, it } from 'vitest';
import supertest from 'supertest';
import { boot } from '../support/boot.ts';

const ORIGIN = 'https://app.example';

describe('a page of another origin', () => {
  it.each(['/keys', '/.well-known/openid-configuration'])('may read %s', async (path) => {
    const { anonymous } = await boot();

    const answer = await anonymous.get(path).set('origin', ORIGIN).expect(200);

    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'origin' });
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('may read why it got no token', async () => {
    const { anonymous } = await boot();

    const answer = await anonymous
      .post('/oauth/token')
      .type('form')
      .send({})
      .set('origin', ORIGIN)
      .expect(400);

    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-credentials': 'true',
    });
  });

  it.each(['/', '/oauth/authorize', '/oidc/logout', '/ui/login'])(
    'may not read the page %s',
    async (path) => {
      const { anonymous } = await boot();

      const answer = await anonymous.get(path).set('origin', ORIGIN);

      expect(Object.keys(answer.headers).join()).not.toContain('access-control');
    },
  );

  it('may ask ahead, without a call in the journal', async () => {
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

  it('may not read what only a server is to ask for', async () => {
    const { api } = await boot();

    const answer = await api.get('/api/v1/organizations').set('origin', ORIGIN).expect(200);

    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

it('says nothing of origins to a caller without one', async () => {
  const { anonymous } = await boot();

  const answer = await anonymous.get('/keys').expect(200);

  expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
});
