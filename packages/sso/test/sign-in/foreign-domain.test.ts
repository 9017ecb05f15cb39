import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { setPasswordless } from '../../../../test/support/passwordless.ts';
import { atProvider, patchRow, rowsOf } from '../../../../test/support/sso.ts';

const CODE =
  /^http:\/\/localhost:3000\/callback\?code=[\w.]{40,}&state=s1&iss=http%3A%2F%2Flocalhost%3A8080$/;
const NINA = 'nina@nordwind.example';

const signInAsNina = async (booted: Booted) => (await atProvider(booted)).submit({}, `value="${NINA}"`);
const mails = async ({ control }: Booted) => (await control.get('/mail').expect(200)).body.mails;

describe('a member whose email domain does not belong to the organization', () => {
  it('verifies the address by a mailed code once after the SSO sign-in', async () => {
    const booted = await boot();

    const codePage = await signInAsNina(booted);
    const [mail] = await mails(booted);
    const back = await codePage.submit({ code: mail.code }, 'name="code"');
    const again = await signInAsNina(booted);

    expect(codePage.text).toContain('Enter the code');
    expect(mail).toMatchObject({ kind: 'verification', to: NINA, code: expect.stringMatching(/^\d{6}$/) });
    expect(back.url).toMatch(CODE);
    expect(again.url).toMatch(CODE);
    expect(await mails(booted)).toHaveLength(1);
  });

  it('is refused with a wrong code', async () => {
    const booted = await boot();

    const codePage = await signInAsNina(booted);
    const refused = await codePage.submit({ code: '000000' }, 'name="code"');
    const restarted = await signInAsNina(booted);

    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Code is wrong.');
    expect(restarted.text).toContain('Enter the code');
  });

  it('can verify the address by a link', async () => {
    const booted = await boot();
    await setPasswordless(booted, { type: 'LINK' });

    await signInAsNina(booted);
    const [mail] = await mails(booted);

    expect(mail.link).toMatch(/^http:\/\/localhost:8080\/ui\/link\?link_token=/);
  });

  it('needs no verification when the domain is assigned to the connection', async () => {
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
