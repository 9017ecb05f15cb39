import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';

const ORIGIN = 'http://localhost:8080';

describe('the front page', () => {
  it('links to a sign-in that ends on a page with the code', async () => {
    const booted = await boot();
    const browser = new Browser(booted);

    const front = await browser.open('/');
    const [, address = ''] = /href="(\/oauth\/authorize[^"]*)">Sign in/.exec(front.text) ?? [];
    const page = await browser.open(address.replaceAll('&amp;', '&'));
    const back = await page.submit({ user_id: 'usr_10000000000000101' });

    expect(back.url).toContain(`${ORIGIN}/ui/signed-in?code=`);
    expect(back.text).toContain(`<code>${back.query('code')}</code>`);
    const form = {
      grant_type: 'authorization_code',
      code: back.query('code')!,
      redirect_uri: `${ORIGIN}/ui/signed-in`,
      client_id: 'skc_1000000000000000001',
      client_secret: 'test_understudy_default_secret',
    };
    const { body } = await booted.anonymous.post('/oauth/token').type('form').send(form).expect(200);
    expect(body.id_token).toEqual(expect.any(String));
  });

  it('has no broken links', async () => {
    const booted = await boot();
    const { text } = await booted.anonymous.get('/').expect(200);
    const addresses = [...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));

    const statuses = await Promise.all(
      addresses.map(async (href) => (await booted.anonymous.get(href)).status),
    );

    expect(addresses.length).toBeGreaterThan(8);
    expect(statuses.filter((status) => status !== 200 && status !== 302)).toEqual([]);
  });

  it('belongs to the environment of the host', async () => {
    const booted = await boot();
    await booted.environment('blue');

    const { text } = await booted.anonymous.get('/').set('host', 'blue.localhost:8080').expect(200);

    expect(text).toContain('<strong>blue</strong>');
    expect(text).toContain('/_control/#/blue/mail');
    expect(text).toContain('/_control/#/blue/webhooks');
    expect(text).toContain('client_id=skc_blue_');
  });

  it('offers no sign-in when the client does not allow the redirect address', async () => {
    const booted = await boot();
    await booted.control
      .patch('/state/clients/skc_1000000000000000001')
      .send({ post_login_uris: ['https://app.example.com/callback'] })
      .expect(200);

    const { text } = await booted.anonymous.get('/').expect(200);

    expect(text).not.toContain('/oauth/authorize');
  });
});
