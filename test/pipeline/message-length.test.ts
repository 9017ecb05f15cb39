import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';

const LONG = 'x'.repeat(600_000);
const MOST = 30_000;

const json = (path: string, body: object) => (booted: Booted) => booted.api.post(path).send(body);
const state = (body: object) => (booted: Booted) => booted.control.put('/state').send(body);

describe('the message of an error that names a long value', () => {
  it.each([
    ['a collection', state({ [LONG]: [] }), /^fixture: xxx.*…xxx/],
    [
      'a member of a row',
      ({ control }: Booted) =>
        control.patch('/state/organizations/org_10000000000000001').send({ [LONG]: 1 }),
      /^organizations org_10000000000000001: xxx/,
    ],
    [
      'a scenario',
      ({ control }: Booted) => control.post('/environments').send({ name: 'red', scenarios: [LONG] }),
      /^scenario x{100}… not found; known/,
    ],
    [
      'a role',
      json('/api/v1/organizations/org_10000000000000001/users', {
        email: 'new@northwind.example',
        membership: { roles: [{ name: LONG }] },
      }),
      /^role x+…x* .+/,
    ],
    [
      'a grant type',
      ({ anonymous }: Booted) => anonymous.post('/oauth/token').type('form').send({ grant_type: LONG }),
      /…/,
    ],
  ])('stays short: %s', async (_, call, message) => {
    const booted = await boot();

    const { status, body, text } = await call(booted);

    expect(status).toBeLessThan(500);
    expect(status).toBeGreaterThan(399);
    expect(body.message ?? body.error_description).toMatch(message);
    expect(text.length).toBeLessThan(MOST);
  });

  it('is whole where a scenario has written it', async () => {
    const { api, control } = await boot();
    const message = 'x'.repeat(2 * MOST);
    const violations = [{ field: 'name', description: message }];
    const reply = { error: 'invalid_argument', message, violations };
    const rules = [{ on: 'OrganizationService_CreateOrganization', reply }];
    await control.post('/scenarios').send({ name: 'wordy', rules }).expect(201);

    const { body } = await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(400);

    expect(body.message).toBe(message);
    expect(body.details[0].validation_error_info.field_violations[0].description).toBe(message);
  });
});
