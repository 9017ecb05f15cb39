import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { setPasswordless } from '../support/passwordless.ts';
import { atProvider, patchRow, rowsOf } from '../support/sso.ts';

const CODE = /^http:\/\/localhost:3000\/callback\?code=[\w.]{40,}&state=s1$/;
const NINA = 'nina@nordwind.example';

const signInAsNina = async (booted: Booted) => (await atProvider(booted)).submit({}, `value="${NINA}"`);
const mails = async ({ control }: Booted) => (await control.get('/mail').expect(200)).body.mails;

describe("a member whose address is not of the organization's domains", () => {
  it('proves it by mail after the identity provider has vouched for it, once', async () => {
    const booted = await boot();

    const asked = await signInAsNina(booted);
    const [mail] = await mails(booted);
    const back = await asked.submit({ code: mail.code }, 'name="code"');
    const again = await signInAsNina(booted);

    expect(asked.text).toContain('Enter the code');
    expect(mail).toMatchObject({ kind: 'verification', to: NINA, code: expect.stringMatching(/^\d{6}$/) });
    expect(back.url).toMatch(CODE);
    expect(again.url).toMatch(CODE);
    expect(await mails(booted)).toHaveLength(1);
  });

  it('does not get in with a wrong code', async () => {
    const booted = await boot();

    const asked = await signInAsNina(booted);
    const refused = await asked.submit({ code: '000000' }, 'name="code"');
    const anew = await signInAsNina(booted);

    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Code is wrong.');
    expect(anew.text).toContain('Enter the code');
  });

  it('may prove it by a link', async () => {
    const booted = await boot();
    await setPasswordless(booted, { type: 'LINK' });

    await signInAsNina(booted);
    const [mail] = await mails(booted);

    expect(mail.link).toMatch(/^http:\/\/localhost:8080\/ui\/link\?link_token=/);
  });

  it('is not asked where the domain has been assigned to the connection', async () => {
    const booted = await boot();
    const nordwind = (await rowsOf(booted.control, 'domains')).find(
      ({ domain }) => domain === 'nordwind.example',
    );
    await patchRow(booted.control, 'connections', 'conn_10000000000000251', {
      domain_ids: [nordwind!['id']],
    });

    const back = await signInAsNina(booted);

    expect(back.url).toMatch(CODE);
  });
});
