import { describe, expect, it } from 'vitest';
import { openWindow, setStage, tokenOf, type Stage } from './support/stage.ts';
import { expectNoMarkup, MARKUP, openDashboard } from './support/dashboard.ts';

interface Mail {
  id: string;
  code?: string;
  link?: string;
}

const INVITED = '/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend';

/** Sends a mail with a code, and resolves to it. */
async function sendCode(stage: Stage, email = 'ravi@acme.example'): Promise<Mail> {
  await stage.api('POST', '/api/v1/passwordless/email/send', { email });
  const { mails } = await stage.control<{ mails: Mail[] }>('GET', '/mail?format=json');
  return mails.at(-1)!;
}

describe('the mails of the dashboard', () => {
  it('shows a mail as the reader sees it, as text and as source', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/mail');
    await page.getByText('No mail yet.').waitFor();

    const { id, code } = await sendCode(stage);
    await page.getByRole('list', { name: 'Mails' }).getByRole('link').click();

    await page.waitForURL(new RegExp(`#/default/mail/${id}$`));
    const frame = page.frameLocator('iframe');
    await frame.getByText(code!).first().waitFor();
    await page.getByRole('button', { name: 'Plain text' }).click();
    await page.getByLabel('Text of the mail').getByText(code!).waitFor();
    await page.getByRole('button', { name: 'Source' }).click();
    await page.getByLabel('Source of the mail').getByText('<!doctype html>').waitFor();
  });

  it('asks before it deletes the mails', async () => {
    const stage = await setStage();
    await sendCode(stage);
    const page = await openDashboard(stage, 'default/mail');

    await page.getByRole('button', { name: 'Clear…' }).click();
    await page.getByText('This cannot be undone.').waitFor();
    await page.getByRole('button', { name: 'Keep them' }).click();
    expect(await page.getByRole('list', { name: 'Mails' }).getByRole('link').count()).toBe(1);
    await page.getByRole('button', { name: 'Clear…' }).click();
    await page.getByRole('button', { name: 'Delete the mails' }).click();

    await page.getByText('No mail yet.').waitFor();
    await page.getByRole('button', { name: 'Clear…' }).waitFor({ state: 'detached' });
  });

  it('copies the code', async () => {
    const stage = await setStage();
    const { id, code } = await sendCode(stage);
    const page = await openDashboard(stage, `default/mail/${id}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);

    await page.getByRole('button', { name: `Copy the code ${code}` }).click();

    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code);
  });

  it('opens the link in a new tab, from the button and from the mail', async () => {
    const stage = await setStage();
    await stage.api('PATCH', INVITED, {});
    const page = await openDashboard(stage, 'default/mail');
    await page.getByRole('list', { name: 'Mails' }).getByRole('link').click();
    const address = page.url();

    const fromButton = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Open the link' }).click();
    await (await fromButton).getByRole('heading', { level: 1 }).waitFor();
    const fromMail = page.context().waitForEvent('page');
    await page.frameLocator('iframe').getByRole('link').first().click();

    await (await fromMail).getByRole('heading', { level: 1 }).waitFor();
    expect(await (await fromMail).evaluate('opener')).toBeNull();
    expect(page.url()).toBe(address);
  });

  it('finds a mail by its address and by its code', async () => {
    const stage = await setStage();
    const first = await sendCode(stage, 'first@acme.example');
    await sendCode(stage, 'second@acme.example');
    const page = await openDashboard(stage, 'default/mail');
    await page.getByText('2 mails').waitFor();

    await page.getByRole('searchbox').fill('second@');
    await page.getByText('1 mail', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill(first.code!);
    await page.getByText('to first@acme.example').waitFor();
  });

  it('keeps what it searches in the address, also while a mail is read', async () => {
    const stage = await setStage();
    await sendCode(stage, 'first@acme.example');
    await sendCode(stage, 'second@acme.example');
    const page = await openDashboard(stage, 'default/mail');

    await page.getByRole('searchbox').fill('second@');
    await page.getByRole('searchbox').press('Enter');
    const link = page.getByRole('list', { name: 'Mails' }).getByRole('link');
    await expect
      .poll(() => link.evaluateAll((all) => all.map((each) => each.matches(':focus'))))
      .toEqual([true]);
    await page.keyboard.press('Enter');

    await page.waitForURL(/mail\/mail_\d+\?find=second%40$/);
    await page.getByRole('article').getByText('To second@acme.example').waitFor();
    await page.reload();
    await page.getByText('1 mail', { exact: true }).waitFor();
  });

  it('has a few of a thousand mails in the page, and the others while one scrolls', async () => {
    const stage = await setStage();
    const { id } = await sendCode(stage);
    const row = await stage.control('GET', `/state/mails/${id}`);
    const mails = Array.from({ length: 1000 }, (_, index) => ({
      ...row,
      id: `mail_${String(index + 1).padStart(17, '0')}`,
      to: `number-${index + 1}@acme.example`,
    }));
    await stage.control('PUT', '/state', { include: ['empty'], mails });
    const page = await openDashboard(stage, 'default/mail');
    await page.getByText('1000 mails').waitFor();
    const list = page.getByRole('list', { name: 'Mails' });
    await list.getByText('to number-1000@acme.example').waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThan(60);

    await list.evaluate((each) => (each.scrollTop = each.scrollHeight));
    await list.getByText('to number-1@acme.example').waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThan(60);
  });

  it('says above the list what to do, where there is no room beside it', async () => {
    const stage = await setStage();
    await sendCode(stage);
    const page = await openDashboard(stage, 'default/mail', { viewport: { width: 360, height: 800 } });

    const hint = await page.getByText('Choose a mail to read it.').boundingBox();

    const list = await page.getByRole('list', { name: 'Mails' }).boundingBox();
    expect(hint!.y).toBeLessThan(list!.y);
  });

  it('gives the frame no script and no origin, and shows markup as text', async () => {
    const stage = await setStage();
    const { id } = await sendCode(stage);
    const row = await stage.control('GET', `/state/mails/${id}`);
    const text = `Hello ${MARKUP}\n\n<script>top.document.title = 1</script>`;
    await stage.control('PUT', `/state/mails/${id}`, { ...row, subject: MARKUP, text });
    const page = await openDashboard(stage, `default/mail/${id}`);

    await page.frameLocator('iframe').getByText(`Hello ${MARKUP}`).waitFor();

    expect(await page.locator('iframe').getAttribute('sandbox')).toBe(
      'allow-popups allow-popups-to-escape-sandbox',
    );
    await expectNoMarkup(page);
    expect(await page.frameLocator('iframe').locator('img, b, script').count()).toBe(0);
    await page.getByRole('button', { name: 'Plain text' }).click();
    await page.getByLabel('Text of the mail').getByText(MARKUP).waitFor();
  });

  it('does not follow a link that is no web address', async () => {
    const stage = await setStage();
    const { id } = await sendCode(stage);
    const row = await stage.control('GET', `/state/mails/${id}`);
    await stage.control('PUT', `/state/mails/${id}`, { ...row, link: 'javascript:document.title=1' });
    const page = await openDashboard(stage, `default/mail/${id}`);

    await page.getByRole('button', { name: 'Copy the link' }).waitFor();

    expect(await page.getByRole('link', { name: 'Open the link' }).count()).toBe(0);
  });

  it('is rendered where the server wants a control token, too', async () => {
    const stage = await setStage({ config: { controlToken: 'sesame' } });
    const page = await openWindow();
    await page.goto(`${stage.issuer}/_control/#/default/mail`);
    await page.getByLabel('Token').fill('sesame');
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('No mail yet.').waitFor();

    await stage.api('POST', '/api/v1/passwordless/email/send', { email: 'a@acme.example' });
    await page.getByRole('list', { name: 'Mails' }).getByRole('link').click();

    await page.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor();
  });

  it('notifies of new mails of its environment, only while the tab is not seen, until that is turned off', async () => {
    const stage = await setStage();
    const other = await stage.control<{ client_id: string; client_secret: string }>('POST', '/environments', {
      name: 'other',
    });
    const page = await openWindow();
    await page.addInitScript(`
      window.told = [];
      window.Notification = class extends EventTarget {
        static permission = 'granted';
        static requestPermission = async () => 'granted';
        constructor(title, { body }) {
          super();
          window.told.push([title, body, this]);
        }
        close() {}
      };
      Object.defineProperty(document, 'hidden', { get: () => window.isUnseen === true });
    `);
    await page.goto(`${stage.issuer}/_control/#/default/mail`);
    const told = () => page.evaluate('told.map(([title, body]) => `${title} | ${body}`)');
    const button = page.getByRole('button', { name: 'Notify me of new mails' });
    await button.click();
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
    await sendCode(stage, 'seen@acme.example');
    await page.getByText('to seen@acme.example').waitFor();

    await page.evaluate('window.isUnseen = true');
    const token = await tokenOf(stage, other);
    await fetch(`${stage.issuer}/api/v1/passwordless/email/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'other@acme.example' }),
    });
    const { id } = await sendCode(stage);
    await expect.poll(told).toEqual([expect.stringMatching(/ \| To ravi@acme\.example, in default$/)]);
    await page.evaluate("told[0][2].dispatchEvent(new Event('click'))");
    await page.waitForURL(new RegExp(`#/default/mail/${id}$`));

    await page.reload();
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
    await button.click();
    await page.evaluate('window.isUnseen = true');
    await sendCode(stage, 'late@acme.example');
    await page.getByText('to late@acme.example').waitFor();
    expect(await told()).toEqual([]);
  });

  it('says so when the browser does not allow notifications', async () => {
    const stage = await setStage();
    const page = await openWindow();
    await page.addInitScript(
      "window.Notification = { permission: 'denied', requestPermission: async () => 'denied' }",
    );
    await page.goto(`${stage.issuer}/_control/#/default/mail`);

    await page.getByRole('button', { name: 'Notify me of new mails' }).click();

    await page.getByRole('alert').getByText('does not let this page notify you').waitFor();
  });
});
