import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { portalLink } from '../support/portal.ts';
import { authorizeUrl } from '../operations/oauth-support.ts';

describe('HEAD', () => {
  it('answers like GET but does not use up a one-time link', async () => {
    const booted = await boot();
    const link = await portalLink(booted.api);
    const before = await booted.control.get('/state/hash');

    const looked = await supertest(booted.understudy.app).head(link);
    const after = await booted.control.get('/state/hash');
    const opened = await new Browser(booted).open(link);

    expect(looked.status).toBe(302);
    expect(after.body).toEqual(before.body);
    expect(opened.status).toBe(200);
    expect(opened.text).toContain('Admin portal');
  });

  it('starts no sign-in', async () => {
    const { control, understudy } = await boot();

    await supertest(understudy.app).head(authorizeUrl()).expect(302);

    const { body } = await control.get('/state').expect(200);
    expect(body.login_transactions).toEqual([]);
  });
});
