import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { asText, aUser, ERROR, provider, pushUser, scimWith } from '../../../../test/support/scim.ts';

const ACME = '/api/v1/organizations/org_10000000000000001/directories';

describe('the secret of a directory', () => {
  it('opens its own directory alone', async () => {
    const booted = await boot();
    const [one, two] = [await provider(booted), await provider(booted)];

    const { body } = await scimWith(booted.anonymous, two.id, one.secret).get('/Users').expect(401);

    expect(body).toEqual({
      schemas: [ERROR],
      status: '401',
      detail: `the secret is not one of directory ${two.id}`,
    });
  });

  it('is valid for a day after it is replaced', async () => {
    const booted = await boot({ now: '2026-03-02T09:00:00.000Z' });
    const { scim, id } = await provider(booted);
    const { body } = await booted.api.post(`${ACME}/${id}/secrets:regenerate`).expect(200);

    await scim.get('/Users').expect(200);
    await booted.control.post('/clock/advance').send({ by: '25h' }).expect(200);

    const late = await scim.get('/Users').expect(401);
    expect(late.body.detail).toBe(`the secret of directory ${id} has ended; send a newer one`);
    await scimWith(booted.anonymous, id, body.plain_secret).get('/Users').expect(200);
  });

  it('shows when it was last used, and nobody its value', async () => {
    const now = '2026-03-02T09:00:00.000Z';
    const booted = await boot({ now });
    const { scim, id, secret } = await provider(booted);

    await pushUser(scim, 'mia@acme.example');

    const { body, text } = await booted.api.get(`${ACME}/${id}`).expect(200);
    expect(body.directory).toMatchObject({
      status: 'COMPLETED',
      last_synced_at: now,
      total_users: 1,
      secrets: [{ last_used_time: now, secret_suffix: secret.slice(-4) }],
    });
    expect(text).not.toContain(secret);
    const journal = await booted.control.get('/requests').expect(200);
    expect(journal.text).not.toContain(secret);
  });

  it('opens nothing while the directory is disabled', async () => {
    const booted = await boot();
    const { scim, id } = await provider(booted);
    await booted.api.patch(`${ACME}/${id}:disable`).expect(200);

    const { body } = await scim
      .post('/Users')
      .send(asText(aUser('mia@acme.example')))
      .expect(403);

    expect(body.detail).toBe(`directory ${id} is disabled; enable it`);
  });

  it('is wanted instead of an access token, and of nothing', async () => {
    const { anonymous, token, ...rest } = await boot();
    const { id } = await provider({ anonymous, token, ...rest });

    const wrong = await scimWith(anonymous, id, token).get('/Users').expect(401);
    const none = await anonymous.get(`/directory/${id}/scim/v2/Users`).expect(401);
    const unknown = await scimWith(anonymous, 'dir_1', 'secret').get('/Users').expect(404);

    expect(wrong.body.detail).toBe(`send a secret of directory ${id} instead of an access token`);
    expect(none.body).toEqual({ schemas: [ERROR], status: '401', detail: 'Token empty' });
    expect(none.headers['www-authenticate']).toBe('Bearer');
    expect(unknown.body).toEqual({ schemas: [ERROR], status: '404', detail: 'directory dir_1 not found' });
  });

  it('finds its environment', async () => {
    const booted = await boot();
    const { api } = await booted.environment('other');
    const { body } = await api.post(ACME).send({ directory_type: 'SCIM' }).expect(200);
    const made = await api.post(`${ACME}/${body.directory.id}/secrets`).expect(200);

    await pushUser(scimWith(booted.anonymous, body.directory.id, made.body.plain_secret), 'mia@acme.example');

    const { body: users } = await api.get(`${ACME}/${body.directory.id}/users`).expect(200);
    expect(users.users).toMatchObject([{ email: 'mia@acme.example' }]);
  });
});
