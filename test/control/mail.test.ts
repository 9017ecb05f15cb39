import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mailPage } from '../../src/control/mail-page.ts';
import { boot, type Agent } from '../support/boot.ts';
import { eventually } from '../support/process.ts';

const ADA = 'ada@acme.example';

const sendCode = (api: Agent, email = ADA) =>
  api.post('/api/v1/passwordless/email/send').send({ email, template: 'SIGNIN' }).expect(200);

describe('Control_ListMails', () => {
  it('shows what was sent, oldest first, by address and kind', async () => {
    const { api, control } = await boot();
    await sendCode(api);
    await sendCode(api, 'bob@other.example');

    const all = await control.get('/mail').expect(200);
    const some = await control.get('/mail?to=*@ACME.example&kind=passwordless').expect(200);

    expect(all.body.mails.map(({ to }: { to: string }) => to)).toEqual([ADA, 'bob@other.example']);
    expect(some.body.mails).toEqual([all.body.mails[0]]);
    expect(some.body.mails[0]).toMatchObject({
      id: expect.stringMatching(/^mail_\d{17,}$/),
      kind: 'passwordless',
      to: ADA,
      code: expect.stringMatching(/^\d{6}$/),
      html: expect.stringContaining(`<strong>${some.body.mails[0].code}</strong>`),
    });
  });

  it('refuses a kind that no mail has', async () => {
    const { control } = await boot();

    const { body } = await control.get('/mail?kind=invite').expect(400);

    expect(body.details[0].validation_error_info.field_violations).toMatchObject([{ field: 'kind' }]);
  });
});

describe('Control_GetMail', () => {
  it('shows one, or says that there is none', async () => {
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
  it('answers with the latest that is there', async () => {
    const { api, control } = await boot();
    await sendCode(api);
    await sendCode(api);
    const { body } = await control.get('/mail').expect(200);

    const latest = await control.get(`/mail/wait?to=${ADA}&timeout=0s`).expect(200);

    expect(latest.body).toEqual(body.mails[1]);
  });

  it('answers with the first that comes after `since`', async () => {
    const { api, control } = await boot();
    await sendCode(api);
    const [known] = (await control.get('/mail').expect(200)).body.mails;

    const waiting = control.get(`/mail/wait?to=${ADA}&since=${known.id}`);
    const sent = sendCode(api, 'bob@other.example').then(() => sendCode(api));
    const [mail] = await Promise.all([waiting.expect(200), sent]);

    expect(mail.body).toMatchObject({ to: ADA });
    expect(mail.body.id).not.toBe(known.id);
  });

  it('says what else there is when time is up', async () => {
    const { api, control } = await boot();
    await sendCode(api);

    const late = await control.get('/mail/wait?to=nobody@acme.example&timeout=10ms').expect(408);

    expect(late.body).toMatchObject({
      message: 'no such mail after 10ms',
      others: [{ to: ADA, kind: 'passwordless' }],
    });
  });

  it('ends when the mail is reset', async () => {
    const { control, understudy } = await boot();
    const { news } = understudy.controls.simulator.environments.get('default');
    const begun = eventually(
      () => news.listeners,
      (count) => count === 1,
    );

    const [waited] = await Promise.all([
      control.get('/mail/wait').expect(410),
      begun.then(() => control.post('/reset?only=mail').expect(204)),
    ]);

    expect(waited.body.message).toBe('environment default was reset while somebody waited');
  });
});

describe('Control_DeleteMails', () => {
  it('forgets mails and nothing else', async () => {
    const { api, control } = await boot();
    const before = await control.get('/state/passwordless_requests').expect(200);
    await sendCode(api);

    await control.delete('/mail').expect(204);

    expect((await control.get('/mail').expect(200)).body).toEqual({ mails: [] });
    const after = await control.get('/state/passwordless_requests').expect(200);
    expect(JSON.stringify(after.body)).not.toBe(JSON.stringify(before.body));
  });
});

describe('the page of a mail', () => {
  it('can be followed, whatever is in the texts', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '<', '"', '&', '\n', '$&') });
    const about = { id: 'mail_1', kind: 'passwordless', to: ADA, time: '2026-01-01T00:00:00Z' } as const;
    fc.assert(
      fc.property(texts, texts, fc.string({ minLength: 1 }), (subject, text, word) => {
        const link = `https://app.example/?a=1&link_token=${encodeURIComponent(word)}`;

        const page = mailPage({ ...about, subject, text: `${text} ${link}`, link, code: '123456' });

        const escaped = link.replaceAll('&', '&amp;');
        expect(page).toContain(`<a href="${escaped}">${escaped}</a>`);
        expect(page.match(/<(?!\/?(html|head|meta|title|body|h1|p|a|strong|!doctype)\b)/g)).toBeNull();
      }),
    );
  });
});
