import type { Page } from 'playwright-core';
import { it } from 'vitest';
import { begin, hasHeading, typeAddress } from './support/pages.ts';
import { RelyingParty } from './support/relying-party.ts';
import { openWindow, setStage, type Stage } from './support/stage.ts';
import { NORDWIND, NOTION, OKTA, PASSWORDLESS } from '../support/fixture-ids.ts';

const OWN = '/state/clients/skc_1000000000000000001';
const PORTAL = { client_id: 'skc_10000000000000002', client_secret: 'test_portal_secret' };

type Walk = (page: Page, stage: Stage) => Promise<void>;

const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();

const mailByLinkOrCode = async ({ control }: Stage) => {
  await control('PATCH', `/state/connections/${PASSWORDLESS}`, { enabled: true });
  await control('PATCH', '/state/settings/settings', { passwordless_type: 'LINK_OTP' });
};

const mailTo = ({ control }: Stage, email: string) =>
  control<{ code: string; link: string }>('GET', `/mail/wait?to=${email}&timeout=2m`);

/** Each ends with a form on a page of Understudy that leads to the application. */
const WALKS: Record<string, Walk> = {
  'the sign-in page': async (page, { party }) => {
    await begin(page, party);
    await press(page, 'Ravi Menon');
  },
  'the sign-up page': async (page, { party }) => {
    await begin(page, party, { prompt: 'create' });
    await page.getByLabel('E-mail address').fill('grace@hopper.example');
    await page.getByText('Name and organization').click();
    await page.getByLabel('First name').fill('Grace');
    await page.getByLabel('Last name').fill('Hopper');
    await page.getByLabel('Organization').fill('Compilers');
    await press(page, 'Continue');
  },
  'the choice of an organization': async (page, { party }) => {
    await begin(page, party);
    await press(page, 'Nina Vogel');
    await press(page, 'Nordwind GmbH');
  },
  'the page for the code': async (page, stage) => {
    await mailByLinkOrCode(stage);
    await begin(page, stage.party);
    await typeAddress(page, 'yuki@lumen.example');
    await page.getByLabel('Code').fill((await mailTo(stage, 'yuki@lumen.example')).code);
    await page.keyboard.press('Enter');
  },
  'the link of a mail in another browser': async (page, stage) => {
    await mailByLinkOrCode(stage);
    await begin(page, stage.party);
    await typeAddress(page, 'yuki@lumen.example');
    await hasHeading(page, 'Enter the code');
    const { link } = await mailTo(stage, 'yuki@lumen.example');
    await page.context().clearCookies({ domain: 'localhost' });
    await page.goto(link);
    await press(page, 'Continue');
  },
  'the identity provider': async (page, { party }) => {
    await begin(page, party, { connection_id: OKTA });
    await press(page, 'ada@acme.example');
  },
  'the identity provider over SAML': async (page, { party, control }) => {
    await control('PATCH', `/state/connections/${OKTA}`, { type: 'SAML' });
    await begin(page, party, { connection_id: OKTA });
    await press(page, 'ada@acme.example');
  },
  'the applications of the identity provider': async (page, { issuer, party, control }) => {
    await control('PATCH', OWN, { initiate_login_uri: `${party.url}/home` });
    await page.goto(`${issuer}/ui/identity-provider/connections/${OKTA}`);
    await page.getByLabel('E-mail address').fill('ravi@acme.example');
    await page.keyboard.press('Enter');
  },
  'an invitation': async (page, stage) => {
    await stage.control('PATCH', OWN, { initiate_login_uri: `${stage.party.url}/home` });
    const invited = { email: 'grace@hopper.example', membership: {} };
    await stage.api('POST', `/api/v1/organizations/${NORDWIND}/users?send_invitation_email=true`, invited);
    await page.goto((await mailTo(stage, 'grace@hopper.example')).link);
    await press(page, 'Accept the invitation');
  },
  'the consent to a connected account': async (page, { party, api }) => {
    const asked = { id: NOTION, user_verify_url: `${party.url}/home` };
    await page.goto(
      (await api<{ link: string }>('POST', '/api/v1/connected_accounts/magic_link', asked)).link,
    );
    await press(page, 'Allow');
  },
  'the confirmation of a connected account': async (page, { party, api, control }) => {
    await control('PATCH', '/state/settings/settings', {
      user_verification: 'service',
      post_user_verify_redirect_url: `${party.url}/home`,
    });
    await page.goto(
      (await api<{ link: string }>('POST', '/api/v1/connected_accounts/magic_link', { id: NOTION })).link,
    );
    await press(page, 'Allow');
    await hasHeading(page, 'Confirm that it is you');
    await page.getByLabel('E-mail address').fill('ada@acme.example');
    await page.keyboard.press('Enter');
  },
};

it.each(Object.entries(WALKS))(
  '%s leads over the callback to a front end of another origin',
  async (_, walk) => {
    const { stage, page, frontEnd } = await withFrontEnd();

    await walk(page, stage);

    await page.waitForURL(frontEnd);
    await hasHeading(page, 'Home of the application');
  },
);

it('the question of the logout leads over the application to a front end of another origin', async () => {
  const { stage, page, frontEnd } = await withFrontEnd();
  const { issuer, party } = stage;
  await begin(page, party);
  await press(page, 'Ravi Menon');
  await page.waitForURL(frontEnd);

  const asked = { client_id: 'skc_1000000000000000001', post_logout_redirect_uri: `${party.url}/home` };
  await page.goto(`${issuer}/oidc/logout?${new URLSearchParams(asked)}`);
  await press(page, 'Sign out');

  await page.waitForURL(frontEnd);
});

/** The callback of the application is on one port, and redirects to its front end on another. */
async function withFrontEnd() {
  const stage = await setStage();
  const { url } = await RelyingParty.start(stage.issuer, PORTAL);
  const frontEnd = `${url}/home?from=api`;
  stage.party.leadsTo = frontEnd;
  return { stage, page: await openWindow(), frontEnd };
}
