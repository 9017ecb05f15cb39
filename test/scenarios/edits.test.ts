import { describe, expect, it } from 'vitest';
import type { ApiError } from '../../src/errors.ts';
import { applyEdits, patchRow, putRow } from '../../src/scenarios/edits.ts';
import type { State } from '../../src/environment/state.ts';
import type { Env } from '../../src/environment/env.ts';
import { control, createWorld, NOW, read } from './support.ts';

const LENA = 'mem_10000000000000006';
const occasion = { baseUrl: 'http://localhost' };

const edit = (state: State, yaml: string) =>
  state.transact(occasion, (env) =>
    applyEdits(env, read(`name: test\nstate:\n${yaml.replace(/^/gm, '  ')}`).state, control),
  );

const failureOf = (run: () => unknown): [string, string] => {
  try {
    run();
  } catch (thrown) {
    return [(thrown as ApiError).failure, (thrown as ApiError).message];
  }
  return expect.unreachable();
};

const inWork = <T>(run: (env: Env) => T) => createWorld().transact(occasion, run).result;

describe('set', () => {
  it('merges members, takes away those that are null, and resolves times against the clock', () => {
    const state = createWorld();
    const before = state.tables.memberships.get(LENA);

    edit(
      state,
      `memberships:
  - match: { organization_id: org_10000000000000002, membership_status: PENDING_INVITE }
    set: { membership_status: INVITE_EXPIRED, expires_at: now-1d, inviter_email: null, metadata: { team: core } }`,
    );

    const { inviter_email: _, ...kept } = before;
    expect(state.tables.memberships.get(LENA)).toEqual({
      ...kept,
      membership_status: 'INVITE_EXPIRED',
      expires_at: '2026-02-28T09:00:00.000Z',
      metadata: { team: 'core' },
    });
  });

  it('changes every row that matches', () => {
    const state = createWorld();

    edit(state, 'memberships:\n  - match: {}\n    set: { resent_count: 7 }');

    expect(new Set(state.tables.memberships.list().map((row) => row.resent_count))).toEqual(new Set([7]));
  });

  it('must find a row', () => {
    const failure = failureOf(() =>
      edit(createWorld(), 'users:\n  - match: { email: no@one.example }\n    set: { external_id: a }'),
    );

    expect(failure).toEqual([
      'invalid_argument',
      'test.yaml:4:7: state.users[0]: users: no row matches {"email":"no@one.example"}',
    ]);
  });

  it.each([
    [
      '{ user_id: usr_10000000000000105, membership_status: ACTIVE }',
      '; mem_10000000000000006 would, but for membership_status is "PENDING_INVITE"',
    ],
    [
      '{ organization_id: org_10000000000000002, user_id: usr_10000000000000001, accepted_at: now }',
      expect.stringMatching(/^; mem_\d+ would, but for user_id is "usr_\d+", accepted_at is/),
    ],
    ['{ inviter_email: nina@nordwind.exampel }', '; did you mean the inviter_email nina@nordwind.example?'],
    ['{ resent_count: 99 }', ''],
  ])('says what is nearest to %s', (match, hint) => {
    const [, message] = failureOf(() =>
      edit(createWorld(), `memberships:\n  - match: ${match}\n    set: { resent_count: 1 }`),
    );

    expect(message.replace(/^.*no row matches \{[^}]*\}/, '')).toEqual(hint);
  });

  it('refuses to name a row that is not there', () => {
    const failure = failureOf(() =>
      edit(createWorld(), `memberships:\n  - match: { id: ${LENA} }\n    set: { role_ids: [role_9] }`),
    );

    expect(failure).toEqual([
      'invalid_argument',
      `test.yaml:4:7: state.memberships[0]: memberships ${LENA}: role_ids: names role_9, and roles has no such row`,
    ]);
  });

  it('refuses to take away what a row must have', () => {
    const failure = failureOf(() =>
      edit(createWorld(), `memberships:\n  - match: { id: ${LENA} }\n    set: { membership_status: null }`),
    );

    expect(failure).toEqual([
      'invalid_argument',
      `test.yaml:4:7: state.memberships[0]: memberships ${LENA}: must have required property 'membership_status'`,
    ]);
  });
});

describe('insert', () => {
  const permission =
    'name: a, description: b, is_scalekit_permission: false, create_time: now, update_time: now';

  it('draws an id where none is given', () => {
    const state = createWorld();

    edit(state, `permissions:\n  - insert: { ${permission} }`);

    expect(state.tables.permissions.findBy('name', 'a')).toEqual({
      id: expect.stringMatching(/^perm_\d{17,}$/) as string,
      name: 'a',
      description: 'b',
      is_scalekit_permission: false,
      create_time: NOW,
      update_time: NOW,
    });
  });

  it('refuses an id that is taken', () => {
    const failure = failureOf(() =>
      edit(createWorld(), `permissions:\n  - insert: { id: perm_10000000000000101, ${permission} }`),
    );

    expect(failure).toEqual([
      'already_exists',
      'test.yaml:4:7: state.permissions[0]: permissions perm_10000000000000101 is there already',
    ]);
  });
});

describe('delete', () => {
  it('takes along what can not be without the row', () => {
    const state = createWorld();

    edit(state, 'organizations:\n  - delete: { match: { id: org_10000000000000002 } }');

    expect(state.tables.organizations.find('org_10000000000000002')).toBeUndefined();
    expect(state.tables.memberships.count('organization_id', 'org_10000000000000002')).toBe(0);
  });

  it('must find a row', () => {
    const failure = failureOf(() =>
      edit(createWorld(), 'users:\n  - delete: { match: { id: usr_19999999999999999 } }'),
    );

    expect(failure).toEqual([
      'invalid_argument',
      'test.yaml:4:7: state.users[0]: users: no row matches {"id":"usr_19999999999999999"}',
    ]);
  });
});

describe('edits', () => {
  it('are made all or not at all', () => {
    const state = createWorld();
    const before = state.collections();

    const failure = failureOf(() =>
      edit(
        state,
        `organizations:
  - delete: { match: { id: org_10000000000000002 } }
  - match: { id: org_10000000000000001 }
    set: { display_name: Changed }
  - match: { id: org_10000000000000002 }
    set: { display_name: Gone }`,
      ),
    );

    expect(failure[0]).toBe('invalid_argument');
    expect(state.collections()).toEqual(before);
  });

  it('let time go on from the new rows', () => {
    const state = createWorld();
    edit(state, `memberships:\n  - match: { id: ${LENA} }\n    set: { expires_at: now+1h }`);

    state.settle(Date.parse(NOW) + 3_600_000);

    expect(state.tables.memberships.get(LENA).membership_status).toBe('INVITE_EXPIRED');
  });
});

describe('single rows', () => {
  const row = { id: 'perm_2', name: 'a', description: 'b', is_scalekit_permission: false };
  const times = { create_time: 'now-1d', update_time: 'now' };

  it('are put, new or in the place of another', () => {
    const rows = inWork((env) => {
      putRow(env, control, 'permissions', { ...row, ...times });
      return putRow(env, control, 'permissions', { ...row, ...times, name: 'c' });
    });

    expect(rows).toEqual({ ...row, name: 'c', create_time: '2026-02-28T09:00:00.000Z', update_time: NOW });
  });

  it('are refused with everything that is wrong with them', () => {
    const failure = failureOf(() =>
      inWork((env) => putRow(env, control, 'permissions', { ...row, name: 7 })),
    );

    expect(failure[0]).toBe('invalid_argument');
    expect(failure[1]).toMatch(/^permissions perm_2: .*'create_time'; .*'update_time'; name: must be string/);
  });

  it('are patched as RFC 7396 says', () => {
    const patched = inWork((env) =>
      patchRow(env, control, 'users', 'usr_10000000000000101', {
        external_id: null,
        user_profile: { email_verified: false, family_name: null },
      }),
    );

    expect(patched).not.toHaveProperty('external_id');
    expect(patched['user_profile']).toEqual({
      id: 'usp_10000000000000101',
      given_name: 'Ada',
      email_verified: false,
    });
  });

  it('keep their ids, and must be there to be patched', () => {
    const patch = (id: string, members: object) =>
      failureOf(() => inWork((env) => patchRow(env, control, 'users', id, { ...members })));

    expect(patch('usr_10000000000000101', { id: 'usr_10000000000000999' })[0]).toBe('invalid_argument');
    expect(patch('usr_1', {})).toEqual(['not_found', 'user usr_1 not found']);
  });
});
