import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { flawsOf } from './support/looks.ts';
import { back, begin, hasHeading, signIn, typeAddress } from './support/pages.ts';
import { openWindow, setStage, stageAt, type Stage } from './support/stage.ts';
import { HAS_NGINX, startNginx } from '../support/nginx.ts';
import { openPort } from '../support/port.ts';
import { freePort } from '../support/process.ts';
import {
  ENTRA,
  FRESHDESK,
  NORDWIND,
  NOTION,
  OKTA,
  PASSWORDLESS,
  TASK_SERVER,
} from '../support/fixture-ids.ts';

const INVITED = `/api/v1/invites/organizations/${NORDWIND}/users/usr_10000000000000105/resend`;

interface Mail {
  id: string;
  kind: string;
  link: string;
}

/** Checks the page that the window shows. */
type Check = (name: string) => Promise<void>;
type Walk = (stage: Stage, page: Page, check: Check) => Promise<void>;

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();

const signIns: Walk = async ({ issuer, party }, page, check) => {
  await page.goto(issuer);
  await check('front page');
  await begin(page, party);
  await check('sign-in');
  await typeAddress(page, 'nobody@nowhere.example');
  await page.getByRole('alert').waitFor();
  await check('sign-in with a complaint');
  await begin(page, party, { prompt: 'create' });
  await check('sign-up');
  await begin(page, party);
  await press(page, 'Nina Vogel');
  await hasHeading(page, 'Choose an organization');
  await check('switcher');
  await page.goto(`${issuer}/ui/signed-in?code=cde_1&state=s1`);
  await check('result with a code');
  await page.goto(`${issuer}/ui/signed-in?error=access_denied&error_description=no`);
  await check('result with an error');
  await page.goto(`${issuer}/oauth/authorize?client_id=skc_404`);
  await check('error');
  await page.goto(`${party.url}/login?connection_id=${OKTA}`);
  await check('identity provider');
  await page.goto(`${issuer}/ui/identity-provider/connections/${OKTA}`);
  await check('applications of the identity provider');
  await page.goto(`${issuer}/sso/v1/oidc/${OKTA}/test`);
  await check('test of a connection');
};

/** Pages whose forms submit themselves stay, as they do without JavaScript. Their button goes on. */
const saml: Walk = async ({ issuer, party, control }, page, check) => {
  await page.addInitScript('HTMLFormElement.prototype.submit = () => {}');
  const provider = `${issuer}/ui/identity-provider/saml/${ENTRA}`;
  const saml_config = {
    idp_sso_request_binding: 'HTTP_POST',
    idp_slo_request_binding: 'HTTP_POST',
    idp_slo_required: true,
    idp_slo_url: `${provider}/slo`,
  };
  await control('PATCH', `/state/connections/${ENTRA}`, { enabled: true, status: 'COMPLETED', saml_config });
  await page.goto(`${party.url}/login?connection_id=${ENTRA}`);
  await page.getByRole('heading', { name: /^On to/ }).waitFor();
  await check('on to a SAML provider');
  await press(page, 'Continue');
  await page.getByRole('heading', { name: /^Sign in with/ }).waitFor();
  await check('provider of a SAML connection');
  await press(page, 'Nina Vogel');
  await page.getByRole('heading', { name: /^Back from/ }).waitFor();
  await check('back from a SAML provider');
  await press(page, 'Continue');
  await back(page, party);
  // A sign-out that begins at the application, and passes the provider.
  await page.goto(`${issuer}/oidc/logout?id_token_hint=${party.tokens?.id_token}`);
  await page.getByRole('heading', { name: /^Signing out at/ }).waitFor();
  await check('on to the sign-out of a SAML provider');
  await press(page, 'Continue');
  await page.getByRole('heading', { name: /^Back from/ }).waitFor();
  await check('back from the sign-out of a SAML provider');
  await press(page, 'Continue');
  await hasHeading(page, 'You are signed out');
  await check('signed out at a SAML provider');
  // Sign-ins and sign-outs that begin at the provider.
  await page.goto(`${provider}/sso`);
  await check('a sign-in that begins at a SAML provider');
  await sendForm(page, `${provider}/logout`, { email: 'nina@nordwind.example' });
  await page.getByRole('heading', { name: /^Signing out at/ }).waitFor();
  await check('a sign-out that begins at a SAML provider');
  await press(page, 'Continue');
  await page.getByRole('heading', { name: /^Back to/ }).waitFor();
  await check('back to a SAML provider');
};

/** Sends a form as a page of the same origin does. */
const sendForm = (page: Page, address: string, fields: Record<string, string>) =>
  page.evaluate(
    ([action, values]) => {
      const form = Object.assign(document.createElement('form'), { method: 'post', action });
      for (const [name, value] of Object.entries(values))
        form.append(Object.assign(document.createElement('input'), { name, value }));
      document.body.append(form);
      form.requestSubmit();
    },
    [address, fields] as const,
  );

const mails: Walk = async ({ issuer, party, api, control }, page, check) => {
  await control('PATCH', `/state/connections/${PASSWORDLESS}`, { enabled: true });
  await control('PATCH', '/state/settings/settings', { passwordless_type: 'LINK_OTP' });
  await api('PATCH', INVITED, {});
  await begin(page, party);
  await typeAddress(page, 'yuki@lumen.example');
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
  await check('code');
  await page.goto(`${issuer}/_control/v1/mail?format=html`);
  await check('mails');
  const { mails: sent } = await control<{ mails: Mail[] }>('GET', '/mail?format=json');
  // Another browser than the one that asked for the link.
  await page.context().clearCookies();
  for (const { id, kind, link } of sent) {
    await page.goto(`${issuer}/_control/v1/mail/${id}?format=html`);
    await check(`mail: ${kind}`);
    await page.goto(link);
    await check(`link of the mail: ${kind}`);
  }
};

const accounts: Walk = async ({ issuer, party, api, control }, page, check) => {
  const open = async (id: string) => {
    const wanted = { id, user_verify_url: `${party.url}/home`, state: 's1' };
    await page.goto(
      (await api<{ link: string }>('POST', '/api/v1/connected_accounts/magic_link', wanted)).link,
    );
  };
  await open(NOTION);
  await check('consent');
  await control('PATCH', '/state/settings/settings', { user_verification: 'off' });
  await open(FRESHDESK);
  await check('credentials');
  await press(page, 'Cancel');
  await page.waitForURL('**/done');
  await check('outcome');
  await page.goto(`${issuer}/connect/success`);
  await check('success');
};

/** A client registers itself at a protected resource, and asks a user for consent. */
const resources: Walk = async ({ issuer, party, api }, page, check) => {
  const redirect_uri = party.callback;
  const wanted = {
    client_name: 'Laptop agent',
    client_uri: 'https://laptop.example',
    redirect_uris: [redirect_uri],
    token_endpoint_auth_method: 'none',
  };
  const { client_id } = await api<{ client_id: string }>(
    'POST',
    `/api/v1/resources/${TASK_SERVER}/clients:register`,
    wanted,
  );
  const challenge = {
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
  const asked = new URLSearchParams({ client_id, redirect_uri, response_type: 'code', ...challenge });
  await page.goto(`${issuer}/resources/${TASK_SERVER}/oauth/authorize?${asked}`);
  await press(page, 'Nina Vogel');
  await page.getByRole('heading', { name: /^(Choose|Allow)/ }).waitFor();
  const organization = page.getByRole('button', { name: 'Nordwind GmbH' });
  if (await organization.isVisible()) await organization.click();
  await page.getByRole('heading', { name: /^Allow access/ }).waitFor();
  await check('consent to a client');
};

const adminPortal: Walk = async ({ issuer, api }, page, check) => {
  const path = `/api/v1/organizations/${NORDWIND}/portal_links?features=sso&features=dir_sync`;
  await page.goto((await api<{ link: { location: string } }>('PUT', path)).link.location);
  await check('portal');
  for (const [kind, button, summary] of [
    ['directories', 'Add directory', 'Add a directory'],
    ['connections', 'Add connection', 'Add a connection'],
  ] as const) {
    await page.goto(`${issuer}/portal`);
    if (!(await page.getByRole('button', { name: button }).isVisible()))
      await page.getByText(summary).click();
    await press(page, button);
    await page.waitForURL(`**/portal/${kind}/**`);
    await check(`portal: ${kind}`);
  }
};

const webhookPortal: Walk = async (stage, page, check) => {
  const { issuer, api, control } = stage;
  const { id } = await control<{ id: string }>('POST', '/webhooks/endpoints', { kind: 'inbox' });
  await api('POST', '/api/v1/organizations', { display_name: 'Delivered Ltd' });
  await control('GET', `/webhooks/deliveries/wait?endpoint=${id}`);
  await page.goto((await api<{ url: string }>('GET', '/api/v1/webhooks/portal-url')).url);
  await check('webhook portal');
  await page.goto(`${issuer}/ui/webhooks/endpoints`);
  await check('webhook portal: new endpoint');
  await page.goto(`${issuer}/ui/webhooks/endpoints/${id}`);
  await check('webhook portal: endpoint');
  await page.locator('a[href*="/ui/webhooks/deliveries/"]').first().click();
  await page.waitForURL('**/deliveries/**');
  await check('webhook portal: delivery');
};

const newPasskey: Walk = async ({ party, control }, page, check) => {
  const row = {
    provider: 'CUSTOM',
    type: 'WEBAUTHN',
    status: 'COMPLETED',
    enabled: true,
    provider_key: 'WEBAUTHN',
    key_id: 'WEBAUTHN',
    webauthn_config: { enable_auto_registration: true },
  };
  await control('PUT', '/state/connections/conn_10000000000000299', row);
  await begin(page, party);
  await typeAddress(page, 'yuki@lumen.example');
  await hasHeading(page, 'Add a passkey?');
  await check('a passkey is offered');
  await control('DELETE', '/state/connections/conn_10000000000000299');
};

const secondFactor: Walk = async ({ issuer, party, control }, page, check) => {
  await begin(page, party);
  await typeAddress(page, 'yuki@lumen.example');
  await back(page, party);
  await page.goto(`${issuer}/ui/profile/authenticator`);
  await check('authenticator app: none');
  await page.getByRole('button', { name: 'Set up an app' }).click();
  await page.getByLabel('Code').waitFor();
  await check('authenticator app: key');
  const code = async () => (await control<{ code: string }>('GET', '/totp?user=yuki@lumen.example')).code;
  await page.getByLabel('Code').fill(await code());
  await page.getByRole('button', { name: 'Enable' }).click();
  await hasHeading(page, 'Your backup codes');
  await check('authenticator app: backup codes');
  await page.getByRole('link', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();
  await check('authenticator app: enabled');
  await begin(page, party, { prompt: 'login' });
  await typeAddress(page, 'yuki@lumen.example');
  await hasHeading(page, 'Enter the code of your app');
  await check('second factor');
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Code is wrong.').waitFor();
  await check('second factor: wrong code');
  await page.getByLabel('Code').fill(await code());
  await page.getByRole('button', { name: 'Continue' }).click();
  await back(page, party);
};

const signOut: Walk = async ({ issuer, party }, page, check) => {
  await signIn(page, party);
  await page.goto(`${issuer}/ui/profile/passkeys`);
  await check('passkeys of a user');
  await page.goto(`${issuer}/oidc/logout`);
  await check('sign-out');
};

/** The contract's pages that answer a GET. */
async function pagesOf({ issuer }: Stage): Promise<string[]> {
  interface Contract {
    paths: Record<string, { get?: { operationId: string; responses: Record<string, { $ref?: string }> } }>;
  }
  const { paths } = (await (await fetch(`${issuer}/openapi.json`)).json()) as Contract;
  return Object.values(paths)
    .flatMap(({ get }) => get ?? [])
    .filter(({ responses }) => responses['200']?.$ref === '#/components/responses/Page')
    .map(({ operationId }) => operationId);
}
const WALKS: Walk[] = [
  newPasskey,
  secondFactor,
  signIns,
  saml,
  mails,
  accounts,
  resources,
  adminPortal,
  webhookPortal,
  signOut,
];

it(
  'no hosted page has a flaw that axe-core finds, or is wider than a phone',
  { timeout: 900_000 },
  async () => {
    const stage = await setStage();
    const flaws: string[] = [];
    for (const walk of WALKS) {
      const page = await openWindow();
      await walk(stage, page, async (name) => {
        flaws.push(...(await flawsOf(page, name)));
      });
      await page.context().close();
    }
    const { requests } = await stage.control<{ requests: { operation: string; status: number }[] }>(
      'GET',
      '/requests?status=200&limit=1000',
    );
    const seen = new Set(requests.map(({ operation }) => operation));
    expect(flaws).toEqual([]);
    expect((await pagesOf(stage)).filter((each) => !seen.has(each))).toEqual([]);
  },
);

/** A proxy that strips the path of the base URL. */
const nginxTo = (port: number, listening: number) => `
pid understudy.pid;
events {}
http {
  access_log off;
  server {
    listen ${listening};
    location /idp/ {
      proxy_pass http://127.0.0.1:${port}/;
      proxy_set_header Host $http_host;
      proxy_http_version 1.1;
      proxy_buffering off;
    }
  }
}
`;

/** The addresses of a page that lead past the path of the base URL. */
const strayOn = (page: Page, base: string) =>
  page.evaluate((from) => {
    const of = (selector: string, name: string) =>
      [...document.querySelectorAll(selector)].map((element) => String(Reflect.get(element, name)));
    const addresses = [
      location.href,
      ...of('a[href]', 'href'),
      ...of('form', 'action'),
      ...of('[src]', 'src'),
      ...of('[formaction]', 'formAction'),
    ];
    return addresses.filter((each) => each.startsWith(location.origin) && !each.startsWith(`${from}/`));
  }, base);

it.skipIf(!HAS_NGINX)(
  'every hosted page works behind a proxy that strips the path of the base URL',
  { timeout: 900_000 },
  async () => {
    const listening = await freePort();
    const base = `http://localhost:${listening}/idp`;
    const { port } = await openPort({ baseUrl: base });
    await startNginx(nginxTo(port, listening), base);
    const stage = await stageAt(base);
    const stray: string[] = [];
    for (const walk of WALKS) {
      const page = await openWindow();
      await walk(stage, page, async (name) => {
        stray.push(...(await strayOn(page, base)).map((each) => `${name}: ${each}`));
      });
      await page.context().close();
    }
    expect(stray).toEqual([]);

    const page = await openWindow();
    await page.goto(`${base}/_control`);
    await page.locator('a[href*="/request/req_"]').first().waitFor({ state: 'attached' });
    expect(await strayOn(page, base)).toEqual([]);
    await page.getByRole('link', { name: 'Docs' }).click();
    await page.locator('nav.places').getByRole('link', { name: 'Dashboard' }).click();
    await page.waitForURL(`${base}/_control/**`);
  },
);
