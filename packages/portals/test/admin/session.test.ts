import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';
import { countdownOf, csrfOf, eventsOf, openPortal, portalLink } from '../../../../test/support/portal.ts';
import { ACME, NORDWIND } from '../../../../test/support/fixture-ids.ts';

const NEW_YEAR = { now: '2030-01-01T00:00:00Z' };
const EXPIRY = '2030-01-01T06:00:00.000Z';

const failure = (error_code: string) => ({
  event_type: 'PORTAL_LOAD_FAILURE',
  object: 'session',
  message: 'Admin portal failed to load',
  data: { error_code },
});

const ofSession = (event_type: string, message: string) => ({
  event_type,
  object: 'session',
  organization_id: NORDWIND,
  message,
  data: { expiry: EXPIRY },
});

describe('a portal link', () => {
  it('opens the portal of its organization', async () => {
    const booted = await boot(NEW_YEAR);

    const { overview } = await openPortal(booted, ACME);

    expect(overview).toMatchObject({ status: 200, url: 'http://localhost:8080/portal' });
    expect(overview.text).toContain('<strong>Acme Corp</strong>');
    expect(overview.text).toContain('Session ends Tue, 01 Jan 2030 06:00 UTC');
    expect(overview.text).not.toContain('nordwind');
    const { body: state } = await booted.control.get('/state').expect(200);
    expect(state.portal_links.at(-1)).toMatchObject({ used_at: '2030-01-01T00:00:00.000Z' });
  });

  it('can be opened once', async () => {
    const { api, ...booted } = await boot();
    const link = await portalLink(api);
    await new Browser(booted).open(link);

    const again = await new Browser(booted).open(link);

    expect(again.status).toBe(410);
    expect(again.text).toContain('This link was used already');
    expect(eventsOf(again)).toEqual([failure('SESSION_EXPIRED')]);
  });

  it('expires after a minute', async () => {
    const { api, control, ...booted } = await boot(NEW_YEAR);
    const [early, late] = [await portalLink(api), await portalLink(api)];
    await control.post('/clock/advance').send({ by: '59s' }).expect(200);
    expect(await new Browser(booted).open(early)).toMatchObject({ status: 200 });
    await control.post('/clock/advance').send({ by: '1s' }).expect(200);

    const over = await new Browser(booted).open(late);

    expect(over.status).toBe(410);
    expect(over.text).toContain('This link has expired');
    expect(eventsOf(over)).toEqual([failure('SESSION_EXPIRED')]);
  });

  it('answers 404 after it was deleted', async () => {
    const { api, ...booted } = await boot();
    const link = await portalLink(api);
    await api.delete(`/api/v1/organizations/${NORDWIND}/portal_links`).expect(200);

    const page = await new Browser(booted).open(link);

    expect(page.status).toBe(404);
    expect(page.text).toContain('Unknown link');
    expect(eventsOf(page)).toEqual([failure('LINK_NOT_FOUND')]);
  });
});

describe('a portal session', () => {
  it('has a cookie that is limited to the path of the portal', async () => {
    const { api, anonymous } = await boot({ baseUrl: 'https://idp.acme.example' });

    const opened = await anonymous.get(await portalLink(api)).expect(302);

    expect(opened.headers['location']).toBe('https://idp.acme.example/portal');
    expect(opened.headers['set-cookie']).toEqual([
      expect.stringMatching(/^understudy_portal=\w{40}; Path=\/portal; HttpOnly; SameSite=None; Secure$/),
    ]);
  });

  it('lasts six hours', async () => {
    const booted = await boot(NEW_YEAR);
    const { browser } = await openPortal(booted);
    await booted.control.post('/clock/advance').send({ by: '359m' }).expect(200);
    expect(await browser.open('/portal')).toMatchObject({ status: 200 });
    await booted.control.post('/clock/advance').send({ by: '1m' }).expect(200);

    const over = await browser.open('/portal');

    expect(over.status).toBe(401);
    expect(over.text).toContain('Ask the application that you came from for a new link');
    expect(eventsOf(over)).toEqual([
      ofSession('PORTAL_SESSION_EXPIRY', 'Admin portal session has expired'),
      failure('SESSION_EXPIRED'),
    ]);
  });

  it.each(['/portal', '/portal/connections/conn_1', '/portal/directories/dir_1'])(
    'is required for %s',
    async (path) => {
      const page = await new Browser(await boot()).open(path);

      expect(page.status).toBe(401);
      expect(page.text).toContain('No session is open in this browser');
      expect(page.text).toContain('only if the page around it is of the same site, or over TLS');
      expect(eventsOf(page)).toEqual([failure('SESSION_EXPIRED')]);
    },
  );

  it('refuses a form without its CSRF token', async () => {
    const booted = await boot();
    const { browser, overview } = await openPortal(booted);
    const before = (await booted.control.get('/state').expect(200)).body;

    const without = await browser.send('/portal/domains', { domain: 'shop.example' });
    const wrong = await browser.send('/portal/domains', {
      domain: 'shop.example',
      csrf_token: 'x'.repeat(32),
    });

    expect([without.status, wrong.status]).toEqual([400, 400]);
    expect(without.text).toContain('The form was not sent from its page: load the page again.');
    expect((await booted.control.get('/state').expect(200)).body).toEqual(before);
    const right = await browser.send('/portal/domains', {
      domain: 'shop.example',
      csrf_token: csrfOf(overview),
    });
    expect(right.status).toBe(200);
  });

  it('is valid only in its own environment', async () => {
    const booted = await boot();
    const { api } = await booted.environment('blue');
    const created = await api.post('/api/v1/organizations').send({ display_name: 'Blue Ltd' }).expect(201);
    const browser = new Browser(booted);

    const opened = await browser.open(await portalLink(api, created.body.organization.id));
    const cookie = browser.cookies.get('understudy_portal')!;

    expect(opened.text).toContain('<strong>Blue Ltd</strong>');
    expect(cookie).toMatch(/^blue\.\w{40}$/);
    const openWith = (value: string) =>
      booted.anonymous
        .get('/portal')
        .set('cookie', `understudy_session=green.${'x'.repeat(40)}; understudy_portal=${value}`);
    expect((await openWith(cookie)).text).toContain('Blue Ltd');
    await booted.anonymous
      .get('/portal')
      .set({ cookie: `understudy_portal=${cookie}`, 'understudy-environment': 'default' })
      .expect(401);
    await openWith(cookie.replace('blue.', '')).expect(401);
  });

  it('works next to a sign-in session of another environment', async () => {
    const booted = await boot();
    await booted.environment('blue');
    const { browser } = await openPortal(booted);
    const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`);

    await booted.anonymous
      .get('/portal')
      .set('cookie', [`understudy_session=blue.${'x'.repeat(40)}`, ...cookies].join('; '))
      .expect(200);
  });
});

describe('a portal page in a frame', () => {
  it('sends the load event once', async () => {
    const booted = await boot(NEW_YEAR);
    const { browser, overview } = await openPortal(booted);

    const again = await browser.open('/portal');

    expect(eventsOf(overview)).toEqual([
      ofSession('PORTAL_LOAD_SUCCESS', 'Admin portal loaded successfully'),
    ]);
    expect(eventsOf(again)).toEqual([]);
  });

  it('sends a warning event five minutes before the session ends', async () => {
    const booted = await boot(NEW_YEAR);
    const { browser, overview } = await openPortal(booted);
    const warning = ofSession('PORTAL_SESSION_WARNING', 'Admin portal session expires soon');
    expect(countdownOf(overview)).toEqual({ remaining: 6 * 3_600_000, later: warning });
    await booted.control.post('/clock/advance').send({ by: '355m' }).expect(200);

    const late = await browser.open('/portal');
    const later = await browser.open('/portal');

    expect(eventsOf(late)).toEqual([warning]);
    expect(countdownOf(late)).toEqual({ remaining: 300_000, later: null });
    expect(eventsOf(later)).toEqual([]);
  });

  it('can be framed by the sites of the clients and by localhost, and runs only its own script', async () => {
    const booted = await boot();
    const uris = { post_login_uris: ['https://app.acme.example/callback'] };
    await booted.control.patch('/state/clients/skc_1000000000000000001').send(uris).expect(200);

    // Anybody can register a client of a protected resource.
    await booted.anonymous
      .post('/api/v1/resources/res_10000000000000001/clients:register')
      .send({ redirect_uris: ['https://stranger.example/callback'] })
      .expect(201);

    const { overview } = await openPortal(booted);

    const policy = overview.response!.headers['content-security-policy'] as string;
    const [, ancestors] = /frame-ancestors ([^;]*)/.exec(policy)!;
    expect(ancestors!.split(' ')).toEqual(
      expect.arrayContaining(["'self'", 'http://localhost:*', 'https://app.acme.example']),
    );
    expect(ancestors).not.toContain('stranger.example');
    const [, script] = /<script>([^]*?)<\/script>/.exec(overview.text)!;
    const digest = createHash('sha256').update(script!).digest('base64');
    expect(policy).toContain(`script-src 'sha256-${digest}'`);
    expect(script).toContain('parent.postMessage(event');
  });
});
