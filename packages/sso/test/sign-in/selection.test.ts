import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';
import { AUTHORIZE, patchRow } from '../../../../test/support/sso.ts';
import { ACME, ENTRA, NORDWIND, OKTA } from '../../../../test/support/fixture-ids.ts';

type Booted = Awaited<ReturnType<typeof boot>>;

const open = (booted: Booted, selectors: string) => new Browser(booted).open(`${AUTHORIZE}&${selectors}`);
const withoutFullStack = ({ control }: Booted) =>
  patchRow(control, 'settings', 'settings', { full_stack_auth: false });

describe('the connection of a sign-in', () => {
  it.each([
    ['by its id', `connection_id=${OKTA}`],
    ['by its organization', `organization_id=${ACME}`],
    ['by a domain', 'domain_hint=ACME.example'],
    ['by the older parameter domain', 'domain=acme.example'],
    ['by an email address', 'login_hint=grace@acme.example'],
    [
      'by its id before a domain and an email address',
      `connection_id=${OKTA}&domain_hint=none.example&login_hint=a@b.example`,
    ],
  ])('is selected %s', async (_, selectors) => {
    const page = await open(await boot(), selectors);

    expect(page.text).toContain('Sign in with Okta');
  });

  it('prefers a social provider over other selectors', async () => {
    const page = await open(await boot(), `provider=google&connection_id=${OKTA}`);

    expect(page.text).toContain('Sign in with Google');
  });

  it('is created only once for a social provider', async () => {
    const booted = await boot();
    await open(booted, 'provider=google');
    await open(booted, 'provider=google');

    const { connections } = (await booted.control.get('/state').expect(200)).body;
    const social = connections.filter(
      ({ is_login, provider }: Record<string, unknown>) => is_login && provider === 'GOOGLE',
    );
    expect(social).toHaveLength(1);
  });

  it.each([
    ['connection_id=conn_9', 'invalid_connection_id'],
    [`connection_id=${ENTRA}`, 'connection_not_active'],
    ['organization_id=org_9', 'invalid_organization_id'],
    ['domain_hint=nowhere.example', 'domain_not_found'],
    ['provider=myspace', 'invalid_connection_selector'],
    [`connection_id=conn_9&organization_id=${ACME}`, 'invalid_connection_id'],
  ])('is refused for %s: %s', async (selectors, error) => {
    const back = await open(await boot(), selectors);

    expect(back.url).toContain(`?error=${error}&error_description=`);
    expect(back.query('state')).toBe('s1');
  });

  it.each([
    `organization_id=${NORDWIND}`,
    'domain_hint=nordwind.example',
    'login_hint=nina@nordwind.example',
    'login_hint=nobody@nowhere.example',
  ])('falls back to the hosted sign-in page for %s', async (selectors) => {
    const page = await open(await boot(), selectors);

    expect(page.url).toContain('/ui/login/');
  });

  it.each([
    ['nothing=x', 'invalid_connection_selector'],
    [`organization_id=${NORDWIND}`, 'no_active_connections'],
    ['domain_hint=nordwind-shop.example', 'no_configured_connections'],
    ['login_hint=nobody@nowhere.example', 'domain_not_found'],
    ['login_hint=nobody', 'invalid_user_domain'],
  ])('is required without full-stack authentication: %s, %s', async (selectors, error) => {
    const booted = await boot();
    await withoutFullStack(booted);

    const back = await open(booted, selectors);

    expect(back.query('error')).toBe(error);
  });
});
