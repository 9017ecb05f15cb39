import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { outFile, pullFrom } from '../support/pull.ts';
import { MARK, markedFixture } from './marks.ts';

type Row = Record<string, unknown>;

const byId = (rows: Row[], id: string) => rows.find((row) => row['id'] === id)!;

/** The members that the marks have reached, so that the test looks at each of them. */
const PLANTED = new Set(
  'account_owner api_url application_name browser browser_version city client_id connected_account_identifier department description device_type display_name domain email emails external_id family_name gender given_name groups hint identifier idp_entity_id inviter_email ip issuer label logo_url name note os os_version owner_team picture plan post_login_uris post_logout_redirect_uris preferred_username proxy_url region region_subdivision resource_uri secret_suffix slug title token_url ui_button_title user_identifier'.split(
    ' ',
  ),
);

describe('stand-ins of a pull', () => {
  it('leave nothing in the file that a person has written', async () => {
    const fixture = outFile();
    writeFileSync(fixture, JSON.stringify(markedFixture()));
    const source = await boot({ fixture });
    const { body } = await source.api.get('/api/v1/users?page_size=100').expect(200);
    expect(JSON.stringify(body).split(MARK).length).toBeGreaterThan(20);

    const kept = await pullFrom(source, { keep: ['*'] });
    const { text } = await pullFrom(source);

    const members = kept.text.matchAll(/"(\w+)":\[?"[^"]*zqmark/g);
    expect(new Set(Array.from(members, ([, name]) => name))).toEqual(PLANTED);
    const left = text.split('\n').filter((line) => line.includes(MARK) || line.includes('9876543210'));
    expect(left).toEqual([]);
  });

  it('are the same for the same person everywhere, and for the same domain', async () => {
    const { rows } = await pullFrom(await boot({ fixture: 'small' }));

    const ada = byId(rows['users']!, 'usr_10000000000000101');
    const inDirectory = byId(rows['directory_users']!, 'diruser_10000000000000621');
    const { given_name, family_name } = ada['user_profile'] as Row;
    expect(ada['email']).not.toContain('ada');
    expect(inDirectory).toMatchObject({ email: ada['email'], given_name, family_name });
    expect(byId(rows['connected_accounts']!, 'ca_10000000000000305')['identifier']).toBe(ada['email']);
    const inviters = rows['memberships']!.map(({ inviter_email }) => inviter_email);
    expect(inviters).toContain(ada['email']);
    const domain = byId(rows['domains']!, 'dom_10000000000000271')['domain'] as string;
    expect(ada['email']).toMatch(new RegExp(`@${domain}$`));
    const emails = rows['users']!.map(({ email }) => email);
    expect(new Set(emails).size).toBe(emails.length);
  });

  it('follow from the seed', async () => {
    const source = await boot({ fixture: 'small', now: '2026-12-01T09:00:00Z' });

    const first = await pullFrom(source);
    const second = await pullFrom(source);
    const other = await pullFrom(source, { seed: 'another' });

    expect(second.text).toBe(first.text);
    expect(other.rows['users']!.map(({ id }) => id)).toEqual(first.rows['users']!.map(({ id }) => id));
    expect(other.rows['users']![0]!['email']).not.toBe(first.rows['users']![0]!['email']);
  });

  it('spare the members that are kept, but no secret', async () => {
    const source = await boot({ fixture: 'small' });

    const { rows, text } = await pullFrom(source, { keep: ['metadata', 'external_id', 'client_secret'] });

    const acme = byId(rows['organizations']!, 'org_10000000000000001');
    expect(acme).toMatchObject({ external_id: 'crm-acme', metadata: { plan: 'enterprise' } });
    expect(acme['display_name']).not.toBe('Acme Corp');
    const okta = byId(rows['connections']!, 'conn_10000000000000251');
    expect(okta['oidc_config']).toMatchObject({ client_secret: expect.stringMatching(/^test_\w{24}$/) });
    expect(text).not.toContain('test_acme_m2m_secret');
  });
});
