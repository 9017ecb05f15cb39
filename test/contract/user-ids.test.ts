import { describe, expect, it } from 'vitest';
import { fieldsOf } from './refusals.ts';
import { operationsOf } from './bad-requests.ts';
import { boot } from '../support/boot.ts';
import { ACME, ADA } from '../support/fixture-ids.ts';

/** All operations with the id of a user in their path. */
const ofUsers = operationsOf('openapi').filter(
  ({ template, secured }) => secured && /\{user_id\}|\/users\/\{id\}|memberships.*\{id\}/.test(template),
);

const idOf = (digits: number) => `usr_${'1'.repeat(digits)}`;

describe.each([1, 28])('a user whose id has %i digits', (digits) => {
  const id = idOf(digits);
  const row = async ({ control }: Awaited<ReturnType<typeof boot>>) => {
    const { body } = await control.get(`/state/users/${ADA}`).expect(200);
    return { ...body, id, email: 'forced@acme.example', external_id: 'forced' };
  };

  it('can be stored through the control API and by a scenario', async () => {
    const booted = await boot();
    const forced = await row(booted);

    await booted.control.put(`/state/users/${id}`).send(forced).expect(200);
    await booted.control.delete(`/state/users/${id}`).expect(204);
    const state = { users: [{ insert: forced }] };
    await booted.control.post('/scenarios').send({ name: 'forced', state }).expect(201);

    expect((await booted.api.get(`/api/v1/users/${id}`).expect(200)).body.user).toMatchObject({ id });
  });

  it.each(ofUsers.map((operation) => [operation.id, operation] as const))(
    'is found by %s',
    async (_, { verb, template }) => {
      const booted = await boot();
      await booted.control
        .put(`/state/users/${id}`)
        .send(await row(booted))
        .expect(200);
      const path = template
        .replaceAll(/\{(organization_id|org_id)\}/g, ACME)
        .replaceAll(/\{(user_id|id)\}/g, id)
        .replaceAll(/\{\w+\}/g, 'nothing');

      const answer = await booted.api[verb](path).send(verb === 'get' ? undefined : {});

      expect(fieldsOf(answer)).not.toContain('user_id');
      expect(fieldsOf(answer)).not.toContain('id');
      expect(answer.body.message ?? '').not.toBe(`user ${id} not found`);
    },
  );
});

describe('a user whose id has other letters than digits', () => {
  it('is refused as a row, in a whole state and as a reference', async () => {
    const { control } = await boot();
    const { body: user } = await control.get(`/state/users/${ADA}`).expect(200);
    const { body: state } = await control.get('/state').expect(200);
    const id = 'usr_ada';
    const membership = { ...state.memberships[0], user_id: id };

    const answers = [
      await control.put(`/state/users/${id}`).send({ ...user, id }),
      await control.put('/state').send({ ...state, users: [...state.users, { ...user, id }] }),
      await control.put(`/state/memberships/${membership.id}`).send(membership),
    ];

    for (const { status, body } of answers) {
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain('must be usr_ and digits');
    }
  });
});
