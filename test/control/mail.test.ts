import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mailMarkup, mailStyles } from '../../src/pages/mail.ts';
import { boot, type Agent } from '../support/boot.ts';
import { agentOf } from './agents.ts';
import { setPasswordless } from '../support/passwordless.ts';
import { eventually } from '../support/process.ts';

const ADA = 'ada@acme.example';

const sendCode = (api: Agent, email = ADA) =>
  api.post('/api/v1/passwordless/email/send').send({ email, template: 'SIGNIN' }).expect(200);

describe('Control_ListMails', () => {
  it('lists mails oldest first, filtered by address and kind', async () => {
    const { api, control } = await boot();
    await sendCode(api);
    await sendCode(api, 'bob@other.example');

    const all = await control.get('/mail').expect(200);
    const some = await control.get('/mail?to=*@ACME.example&kind=passwordless&html=true').expect(200);

    expect(all.body.mails.map(({ to }: { to: string }) => to)).toEqual([ADA, 'bob@other.example']);
    const { html: _, ...withoutHtml } = some.body.mails[0];
    expect(all.body.mails[0]).toEqual(withoutHtml);
    expect(some.body.mails).toHaveLength(1);
    expect(some.body.mails[0]).toMatchObject({
      id: expect.stringMatching(/^mail_\d{17,}$/),
      kind: 'passwordless',
      to: ADA,
      code: expect.stringMatching(/^\d{6}$/),
      html: expect.stringContaining(`<strong>${some.body.mails[0].code}</strong></p>`),
    });
  });

  it('has mails that look as the settings say', async () => {
    const booted = await boot();
    const { api, control } = booted;
    const branding = {
      application_name: 'Fernway',
      primary_color: '#ffdd00',
      logo_url: 'data:image/png;base64,AA==',
    };
    await setPasswordless(booted, { type: 'LINK' });
    await control.patch('/state/settings/settings').send({ branding }).expect(200);
    const sent = { email: ADA, template: 'SIGNIN', magiclink_auth_uri: 'https://app.example/in' };
    await api.post('/api/v1/passwordless/email/send').send(sent).expect(200);

    const [mail] = (await control.get('/mail?html=true').expect(200)).body.mails;

    expect(mail.html).toContain('<strong>Fernway</strong>');
    expect(mail.html).toContain('<img src="data:image/png;base64,AA=="');
    expect(mail.html).toMatch(/<td bgcolor="#ffdd00">\s*<a [^>]*color:#111111/);
    const styles = [...mail.html.matchAll(/style="([^"]*)"/g)].map(([, style]) => style);
    expect(mailStyles()).toEqual(expect.arrayContaining(styles));
    const page = await control.get(`/mail/${mail.id}?format=html`).expect(200);
    expect(page.text).toContain('background: #ffdd00');
  });

  it('refuses an unknown kind', async () => {
    const { control } = await boot();

    const { body } = await control.get('/mail?kind=invite').expect(400);

    expect(body.details[0].validation_error_info.field_violations).toMatchObject([{ field: 'kind' }]);
  });
});

describe('Control_GetMail', () => {
  it('responds with one mail, or 404 with a suggestion', async () => {
    const { api, control } = await boot();
    await sendCode(api);
    const { body } = await control.get('/mail').expect(200);

    const one = await control.get(`/mail/${body.mails[0].id}`).expect(200);
    const none = await control.get('/mail/mail_1').expect(404);

    expect(one.body).toEqual(body.mails[0]);
    expect(none.body.message).toBe(`mail mail_1 not found; did you mean ${one.body.id}?`);
  });
});

describe('Control_WaitForMail', () => {
  it('responds with the latest mail at once', async () => {
    const { api, control } = await boot();
    await sendCode(api);
    await sendCode(api);
    const { body } = await control.get('/mail').expect(200);

    const latest = await control.get(`/mail/wait?to=${ADA}&timeout=0s`).expect(200);

    expect(latest.body).toEqual(body.mails[1]);
  });

  it('responds with the first mail after `since`', async () => {
    const { api, control } = await boot();
    await sendCode(api);
    const [known] = (await control.get('/mail').expect(200)).body.mails;

    const waiting = control.get(`/mail/wait?to=${ADA}&since=${known.id}&timeout=2m`);
    const sent = sendCode(api, 'bob@other.example').then(() => sendCode(api));
    const [mail] = await Promise.all([waiting.expect(200), sent]);

    expect(mail.body).toMatchObject({ to: ADA });
    expect(mail.body.id).not.toBe(known.id);
  });

  it('lists the other mails when it times out', async () => {
    const { api, control } = await boot();
    await sendCode(api);

    const late = await control.get('/mail/wait?to=nobody@acme.example&timeout=10ms').expect(408);

    expect(late.body).toMatchObject({
      message: 'no matching mail came within 10ms',
      others: [{ to: ADA, kind: 'passwordless' }],
    });
  });

  it('ends when the mails are reset', async () => {
    const { control, understudy } = await boot();
    const { activity } = understudy.controls.simulator.environments.get('default');
    const begun = eventually(
      () => activity.subscribers,
      (count) => count === 1,
    );

    const [waited] = await Promise.all([
      control.get('/mail/wait?timeout=2m').expect(410),
      begun.then(() => control.post('/reset?only=mail').expect(204)),
    ]);

    expect(waited.body.message).toBe('environment default was reset while this call waited');
  });
});

describe('Control_DeleteMails', () => {
  it('deletes mails and nothing else', async () => {
    const { api, control } = await boot();
    const before = await control.get('/state/passwordless_requests').expect(200);
    await sendCode(api);

    await control.delete('/mail').expect(204);

    expect((await control.get('/mail').expect(200)).body).toEqual({ mails: [] });
    const after = await control.get('/state/passwordless_requests').expect(200);
    expect(JSON.stringify(after.body)).not.toBe(JSON.stringify(before.body));
  });
});

describe('the HTML of a mail', () => {
  it('has a correct link and escapes any text', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '<', '"', '&', '\n', '$&', "'") });
    const about = { id: 'mail_1', kind: 'passwordless', to: ADA, time: '2026-01-01T00:00:00Z' } as const;
    fc.assert(
      fc.property(texts, texts, fc.string({ minLength: 1 }), (subject, text, word) => {
        const link = `https://app.example/?a=1&link_token=${encodeURIComponent(word)}`;

        const page = mailMarkup({ ...about, subject, text: `${text} ${link}`, link, code: '123456' });

        const escaped = link.replaceAll('&', '&amp;').replaceAll("'", '&#39;');
        expect(page).toContain(`<a href="${escaped}">${escaped}</a>`);
        expect(
          page.match(/<(?!\/?(html|head|meta|title|body|table|tr|td|h1|p|a|br|strong|!doctype)\b)/g),
        ).toBeNull();
      }),
    );
  });

  it('shows a link or code on a line of its own as a button or a large code', () => {
    const link = 'https://app.example/?link_token=1&a=2';

    const page = mailMarkup({ ...MAIL, text: `Hello.\n\nSign in:\n${link}\n\nYour code:\n123456`, link });

    expect(page).toMatch(
      /<a href="https:\/\/app.example\/\?link_token=1&amp;a=2" style="[^"]*">Sign in<\/a>/,
    );
    expect(page).toMatch(/<p style="[^"]*font-size:28px[^"]*"><strong>123456<\/strong><\/p>/);
  });

  it.each(['javascript:alert(1)', ' JavaScript:alert(1)', 'data:text/html,x'])(
    'has no link for %s',
    (link) => {
      const page = mailMarkup({ ...MAIL, text: `Sign in:\n${link}\n\n${link}`, link });

      expect(page).not.toContain('<a');
    },
  );
});

const MAIL = {
  id: 'mail_1',
  kind: 'passwordless',
  to: ADA,
  subject: 'Hello',
  code: '123456',
  time: '2026-01-01T00:00:00Z',
} as const;

describe('the HTML pages of mails', () => {
  const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  it('lead a browser from the list to a mail and to the link of the mail', async () => {
    const booted = await boot({ now: '2030-01-01T12:00:00Z' });
    await setPasswordless(booted, { type: 'LINK_OTP' });
    const magiclink_auth_uri = 'https://app.example/in?from=<b>';
    const sent = { email: ADA, template: 'SIGNIN', magiclink_auth_uri };
    await booted.api.post('/api/v1/passwordless/email/send').send(sent).expect(200);
    const [mail] = (await booted.control.get('/mail').expect(200)).body.mails;

    const list = await booted.control.get('/mail').set(HTML).expect(200);
    const page = await booted.control.get(`/mail/${mail.id}`).set(HTML).expect(200);

    expect(list.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(list.text).toContain(`<a href="mail/${mail.id}">${mail.code} is your code to sign in</a>`);
    expect(list.text).toContain('Tue, 01 Jan 2030 12:00 UTC');
    expect(page.headers['content-security-policy']).toContain("script-src 'none'");
    expect(page.text).toContain(`href="${mail.link.replaceAll('&', '&amp;').replace('<b>', '&lt;b&gt;')}"`);
    expect(page.text).toContain(`<strong>${mail.code}</strong>`);
    expect(page.text).toContain('<a href="../mail">');
  });

  it('depend on the format parameter', async () => {
    const { api, control } = await boot();
    await sendCode(api);
    await sendCode(api, 'bob@other.example');

    const list = await control.get('/mail?format=html&to=ada*').expect(200);
    const json = await control.get('/mail?format=json').set(HTML).expect(200);

    expect(list.text).toContain(ADA);
    expect(list.text).not.toContain('bob@other.example');
    expect(json.body.mails).toHaveLength(2);
  });

  it('show only the mails of their environment', async () => {
    const { api, control, environment } = await boot();
    await sendCode(api);
    const { api: other } = await environment('other');
    await sendCode(other, 'eve@other.example');

    const list = await control.get('/environments/other/mail').set(HTML).expect(200);
    const none = await control.get('/mail?to=nobody').set(HTML).expect(200);

    expect(list.text).toContain('eve@other.example');
    expect(list.text).not.toContain(ADA);
    expect(none.text).toContain('There is none yet.');
  });

  it.each([
    ['without the control token', undefined, 'the request has no token'],
    ['with another control token', 'Bearer wrong', 'The request has another token than the server'],
  ])('say how to see the mails %s', async (_, authorization, reason) => {
    const { understudy } = await boot({ controlToken: 'hush' });
    const agent = agentOf(understudy.app, { ...HTML, ...(authorization && { authorization }) });

    for (const path of ['/mail', '/mail/mail_1', "/mail?to='$(reboot)"]) {
      const { text, headers } = await agent.get(`/_control/v1/environments/default${path}`).expect(401);

      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'www-authenticate': 'Bearer',
        'content-security-policy': expect.stringContaining("script-src 'none'"),
      });
      expect(text).toContain(reason);
      expect(text).toContain('href="/_control/#/default/mail"');
      expect(text).not.toContain("'$(");
    }
    const coverage = await agent.get('/_control/v1/coverage?format=html').expect(401);
    expect(coverage.text).toContain('href="/_control/#/default/coverage"');
  });

  it('are refused as JSON for programs', async () => {
    const { understudy } = await boot({ controlToken: 'hush' });

    const program = await agentOf(understudy.app, {}).get('/_control/v1/mail').expect(401);
    const asked = await agentOf(understudy.app, HTML).get('/_control/v1/mail?format=json').expect(401);
    const without = await agentOf(understudy.app, HTML).get('/_control/v1/clock').expect(401);

    const refused = { code: 16, message: 'the control API requires the token of UNDERSTUDY_CONTROL_TOKEN' };
    for (const { body } of [program, asked, without]) expect(body).toMatchObject(refused);
  });

  it('say which mail or environment there is none of', async () => {
    const { control } = await boot();

    const mail = await control.get('/mail/mail_1').set(HTML).expect(404);
    const environment = await control.get('/environments/blue/mail').set(HTML).expect(404);
    const wrong = await control.get('/mail?kind=invite').set(HTML).expect(400);

    expect(mail.text).toContain('<h1>Not found</h1>');
    expect(mail.text).toContain('Mail mail_1 not found');
    expect(environment.text).toContain('Environment blue not found');
    expect(wrong.text).toContain('<code>kind</code> value must be one of invitation,');
  });
});
