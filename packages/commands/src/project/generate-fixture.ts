import { Faker, base, en } from '@faker-js/faker';
import { emptySettings } from '@understudy/core/fixtures/empty-settings';

interface FixtureSize {
  organizations: number;
  /** Users per organization. */
  users: number;
  seed: number;
}

const START = Date.parse('2026-01-01T00:00:00Z');
const ROLES = ['role_10000000000000001', 'role_10000000000000002'] as const;

/** Generates a fixture with one row per line. The same size and seed give the same text. */
export function generateFixture({ organizations: count, users: perOrganization, seed }: FixtureSize): string {
  const faker = new Faker({ locale: [en, base], seed });
  const rows = { organizations: [] as object[], users: [] as object[], memberships: [] as object[] };
  for (let o = 1; o <= count; o += 1) {
    const organization = organizationRow(faker, o);
    rows.organizations.push(organization);
    for (let u = 1; u <= perOrganization; u += 1) {
      const number = (o - 1) * perOrganization + u;
      const user = userRow(faker, number, organization.external_id);
      rows.users.push(user);
      rows.memberships.push(membershipRow(faker, number, organization.id, user));
    }
  }
  return write(`${count} organizations of ${perOrganization} users, seed ${seed}`, rows);
}

const id = (prefix: string, number: number) => `${prefix}_${30_000_000_000_000_000n + BigInt(number)}`;
const time = (number: number) => new Date(START + number * 60_000).toISOString();

function organizationRow(faker: Faker, number: number) {
  return {
    id: id('org', number),
    create_time: time(number),
    update_time: time(number),
    display_name: faker.company.name(),
    region_code: number % 10 === 0 ? 'EU' : 'US',
    external_id: `crm-${number}`,
    metadata: { plan: faker.helpers.arrayElement(['free', 'team', 'enterprise']) },
  };
}

function userRow(faker: Faker, number: number, organization: string) {
  const given_name = faker.person.firstName();
  const family_name = faker.person.lastName();
  const local = `${given_name}.${family_name}.${number}`.toLowerCase().replace(/[^a-z0-9.]/g, '');
  return {
    id: id('usr', number),
    create_time: time(number),
    update_time: time(number),
    email: `${local}@${organization}.example`,
    metadata: {},
    user_profile: { id: id('usp', number), given_name, family_name, email_verified: true },
  };
}

/** One member in ten is still invited; the invitation of one in fifty has expired. */
function membershipRow(
  faker: Faker,
  number: number,
  organization_id: string,
  user: { id: string; create_time: string },
) {
  const row = {
    id: id('mem', number),
    organization_id,
    user_id: user.id,
    role_ids: [faker.helpers.arrayElement(ROLES)],
    metadata: {},
    resent_count: 0,
  };
  const invitation = { provisioning_method: 'invitation', created_at: user.create_time };
  if (number % 50 === 0)
    return { ...row, ...invitation, membership_status: 'INVITE_EXPIRED', expires_at: 'now-1d' };
  if (number % 10 === 0)
    return { ...row, ...invitation, membership_status: 'PENDING_INVITE', expires_at: 'now+14d' };
  return {
    ...row,
    membership_status: 'ACTIVE',
    provisioning_method: 'direct_provision',
    join_time: user.create_time,
  };
}

function write(description: string, rows: Record<string, object[]>): string {
  const settings = `  "settings": ${JSON.stringify(emptySettings())}`;
  const lists = Object.entries(rows).map(
    ([name, list]) => `  "${name}": [\n${list.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]`,
  );
  const head = [`  "description": ${JSON.stringify(description)}`, '  "include": ["catalogue"]'];
  return `{\n${[...head, settings, ...lists].join(',\n')}\n}\n`;
}
