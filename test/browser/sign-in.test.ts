/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { describe, expect, it } from 'vitest';
import { back, begin, hasHeading, signIn, typeAddress } from './support/pages.ts';
import { openWindow, setStage } from './support/stage.ts';
import { NORDWIND } from '../support/fixture-ids.ts';

describe.each([
  ['with JavaScript', { javaScriptEnabled: true }],
  ['without JavaScript', { javaScriptEnabled: false }],
])('a sign-in %s', (_, options) => {
  it('completes the code flow with PKCE, state and nonce', async () => {
    const { party } = await setStage();
    const page = await openWindow(options);

    await begin(page, party);
    await typeAddress(page, 'yuki@lumen.example');
    await back(page, party);

    await hasHeading(page, 'Signed in');
    expect(await page.textContent('p')).toBe('You are yuki@lumen.example.');
    expect(party.claims).toMatchObject({ sub: 'usr_10000000000000109', email: 'yuki@lumen.example' });
  });

  it('asks a user of several organizations for one', async () => {
    const { party } = await setStage();
    const page = await openWindow(options);

    await begin(page, party);
    await page.getByRole('button', { name: 'Nina Vogel' }).click();
    await hasHeading(page, 'Choose an organization');
    await page.getByRole('button', { name: 'Nordwind GmbH' }).click();
    await back(page, party);
    expect(party.claims['oid']).toBe(NORDWIND);

    // The session continues, and the switcher selects the other organization.
    await begin(page, party, { prompt: 'select_account' });
    await page.getByRole('button', { name: 'Acme Corp' }).click();
    await back(page, party);
    expect(party.claims['oid']).toBe('org_10000000000000001');
  });

  it('signs a new user up with a new organization', async () => {
    const { party, control } = await setStage();
    const page = await openWindow(options);

    await begin(page, party, { prompt: 'create' });
    await page.getByLabel('E-mail address').fill('grace@hopper.example');
    await page.getByText('Name and organization').click();
    await page.getByLabel('First name').fill('Grace');
    await page.getByLabel('Last name').fill('Hopper');
    await page.getByLabel('Organization').fill('Compilers & Sons');
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await back(page, party);

    const { oid } = party.claims as { oid?: string };
    expect(party.claims).toMatchObject({ email: 'grace@hopper.example', name: 'Grace Hopper' });
    expect(await control('GET', `/state/organizations/${oid}`)).toMatchObject({
      display_name: 'Compilers & Sons',
    });
  });

  it('accepts an invitation by the link in the mail', async () => {
    const { issuer, party, api, control } = await setStage();
    const page = await openWindow(options);
    await api('POST', `/api/v1/organizations/${NORDWIND}/users?send_invitation_email=true`, {
      email: 'grace@hopper.example',
      membership: {},
    });

    await page.goto(`${issuer}/_control/v1/mail?to=grace@hopper.example`);
    await page.locator('tbody a').first().click();
    await page
      .getByRole('link', { name: /invitation/i })
      .first()
      .click();
    await hasHeading(page, 'Join Nordwind GmbH');
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('heading', { name: /Nordwind/ }).waitFor();

    await begin(page, party);
    await typeAddress(page, 'grace@hopper.example');
    await back(page, party);
    expect(party.claims['oid']).toBe(NORDWIND);
    const { rows } = await control<{ rows: { organization_id: string; membership_status: string }[] }>(
      'GET',
      '/state/memberships',
    );
    expect(rows.at(-1)).toMatchObject({ organization_id: NORDWIND, membership_status: 'ACTIVE' });
  });
});

it('a second sign-in uses the session of the browser, without a page', async () => {
  const { party } = await setStage();
  const page = await openWindow();
  await signIn(page, party);
  const { sid } = party.claims;

  await begin(page, party, { prompt: 'none' });

  await hasHeading(page, 'Signed in');
  expect(party.claims['sid']).toBe(sid);
});

it.each([320, 1280])(
  'the sign-in page shows names and long addresses in order at %d pixels',
  async (width) => {
    const { party, control } = await setStage();
    const email = 'maximiliane.von-hohenstein@subsidiary.acme.example';
    await control('PATCH', '/state/users/usr_10000000000000101', { email });
    const page = await openWindow({ viewport: { width, height: 800 } });

    await begin(page, party);
    const lines = await page
      .getByRole('button', { name: 'Ada Byrne' })
      .locator('small')
      .first()
      .evaluate(linesOf);
    const baselines = await page.getByRole('button', { name: 'Lena Fischer' }).evaluate(baselinesOf);

    expect(lines.join('')).toBe(email);
    expect(lines.slice(1).filter((line) => !/^[@.]/.test(line))).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    if (width > 320) expect(Math.abs(baselines[0]! - baselines[1]!)).toBeLessThan(1);
  },
);

/** The lines of an element, as the browser breaks them. */
function linesOf(element: Element): string[] {
  const lines = new Map<number, string>();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode())
    for (const [index, character] of [...(node.textContent ?? '')].entries()) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      const { top } = range.getBoundingClientRect();
      lines.set(top, (lines.get(top) ?? '') + character);
    }
  return [...lines.values()];
}

/** The baselines of the name and the address. An empty inline block stands on the baseline. */
function baselinesOf(choice: Element): number[] {
  return [...choice.children].slice(0, 2).map((child) => {
    const mark = document.createElement('i');
    mark.style.display = 'inline-block';
    child.append(mark);
    return mark.getBoundingClientRect().bottom;
  });
}

it('a sign-in asks for the code in the mail when codes are enabled', async () => {
  const { party, control } = await setStage();
  await control('PATCH', '/state/connections/conn_10000000000000241', { enabled: true });
  const page = await openWindow();

  await begin(page, party);
  await typeAddress(page, 'yuki@lumen.example');
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
  const inDashboard = await page.getByRole('link', { name: 'Open the mail' }).getAttribute('href');
  const { code, id } = await control<{ code: string; id: string }>(
    'GET',
    '/mail/wait?to=yuki@lumen.example&timeout=2m',
  );
  await page.getByLabel('Code').fill(code === '000000' ? '111111' : '000000');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Code').fill(code);
  await page.keyboard.press('Enter');
  await back(page, party);

  expect(party.claims['email']).toBe('yuki@lumen.example');
  expect(inDashboard).toBe(`/_control/#/default/mail/${id}`);
});
