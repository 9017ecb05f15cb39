import { describe, expect, it } from 'vitest';
import type { ApiError } from '../../src/contract/errors.ts';
import { applyEdits, patchRow, putRow } from '../../src/scenarios/edits.ts';
import { runSync } from '../../src/scenarios/steps.ts';
import type { Environment } from '../../src/environment/environment.ts';
import type { Env } from '../../src/state/env.ts';
import { control, createEnvironment, NOW, read } from './support.ts';

const LENA = 'mem_10000000000000006';
const options = { baseUrl: 'http://localhost' };

const edit = (environment: Environment, yaml: string) =>
  environment.transact(options, (env) =>
    runSync(applyEdits(env, read(`name: test\nstate:\n${yaml.replace(/^/gm, '  ')}`).state, control)),
  );

const failureOf = (run: () => unknown): [string, string] => {
  try {
    run();
  } catch (thrown) {
    return [(thrown as ApiError).failure, (thrown as ApiError).message];
  }
  return expect.unreachable();
};

const inWork = <T>(run: (env: Env) => T) => createEnvironment().transact(options, run).result;

describe('set', () => {
  it('merges members, removes those that are null, and resolves times against the clock', () => {
    const environment = createEnvironment();
    const before = environment.tables.memberships.get(LENA);

    edit(
      environment,
      `memberships:
  - match: { organization_id: org_10000000000000002, membership_status: PENDING_INVITE }
    set: { membership_status: INVITE_EXPIRED, expires_at: now-1d, inviter_email: null, metadata: { team: core } }`,
    );

    const { inviter_email: _, ...kept } = before;
    expect(environment.tables.memberships.get(LENA)).toEqual({
      ...kept,
      membership_status: 'INVITE_EXPIRED',
      expires_at: '2026-02-28T09:00:00.000Z',
      metadata: { team: 'core' },
    });
  });

  it('changes every row that matches', () => {
    const environment = createEnvironment();

    edit(environment, 'memberships:\n  - match: {}\n    set: { resent_count: 7 }');

    expect(new Set(environment.tables.memberships.list().map((row) => row.resent_count))).toEqual(
      new Set([7]),
    );
  });

  it('fails when no row matches', () => {
    const failure = failureOf(() =>
      edit(createEnvironment(), 'users:\n  - match: { email: no@one.example }\n    set: { external_id: a }'),
    );

    expect(failure).toEqual([
      'invalid_argument',
      'test.yaml:4:7: state.users[0]: users: no row matches {"email":"no@one.example"}',
    ]);
  });

  it.each([
    [
      '{ user_id: usr_10000000000000105, membership_status: ACTIVE }',
      '; mem_10000000000000006 differs only in membership_status, which is "PENDING_INVITE"',
    ],
    [
      '{ organization_id: org_10000000000000002, user_id: usr_10000000000000001, accepted_at: now }',
      expect.stringMatching(/^; mem_\d+ differs only in user_id, which is "usr_\d+", accepted_at, which is/),
    ],
    ['{ inviter_email: nina@nordwind.exampel }', '; did you mean the inviter_email nina@nordwind.example?'],
    ['{ resent_count: 99 }', ''],
  ])('names the nearest row or value for %s', (match, hint) => {
    const [, message] = failureOf(() =>
      edit(createEnvironment(), `memberships:\n  - match: ${match}\n    set: { resent_count: 1 }`),
    );

    expect(message.replace(/^.*no row matches \{[^}]*\}/, '')).toEqual(hint);
  });

  it('refuses a reference to a row that does not exist', () => {
    const failure = failureOf(() =>
      edit(createEnvironment(), `memberships:\n  - match: { id: ${LENA} }\n    set: { role_ids: [role_9] }`),
    );

    expect(failure).toEqual([
      'invalid_argument',
      `test.yaml:4:7: state.memberships[0]: memberships ${LENA}: role_ids: names role_9, and roles has no such row`,
    ]);
  });

  it('refuses to remove a required member', () => {
    const failure = failureOf(() =>
      edit(
        createEnvironment(),
        `memberships:\n  - match: { id: ${LENA} }\n    set: { membership_status: null }`,
      ),
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

  it('generates an id when none is given', () => {
    const environment = createEnvironment();

    edit(environment, `permissions:\n  - insert: { ${permission} }`);

    expect(environment.tables.permissions.findBy('name', 'a')).toEqual({
      id: expect.stringMatching(/^perm_\d{17,}$/) as string,
      name: 'a',
      description: 'b',
      is_scalekit_permission: false,
      create_time: NOW,
      update_time: NOW,
    });
  });

  it('refuses an id that already exists', () => {
    const failure = failureOf(() =>
      edit(createEnvironment(), `permissions:\n  - insert: { id: perm_10000000000000101, ${permission} }`),
    );

    expect(failure).toEqual([
      'already_exists',
      'test.yaml:4:7: state.permissions[0]: permissions perm_10000000000000101 already exists',
    ]);
  });
});

describe('delete', () => {
  it('deletes the dependents of the row too', () => {
    const environment = createEnvironment();

    edit(environment, 'organizations:\n  - delete: { match: { id: org_10000000000000002 } }');

    expect(environment.tables.organizations.find('org_10000000000000002')).toBeUndefined();
    expect(environment.tables.memberships.count('organization_id', 'org_10000000000000002')).toBe(0);
  });

  it('fails when no row matches', () => {
    const failure = failureOf(() =>
      edit(createEnvironment(), 'users:\n  - delete: { match: { id: usr_19999999999999999 } }'),
    );

    expect(failure).toEqual([
      'invalid_argument',
      'test.yaml:4:7: state.users[0]: users: no row matches {"id":"usr_19999999999999999"}',
    ]);
  });
});

describe('edits', () => {
  it('are atomic: one failed edit reverts all', () => {
    const environment = createEnvironment();
    const before = environment.collections();

    const failure = failureOf(() =>
      edit(
        environment,
        `organizations:
  - delete: { match: { id: org_10000000000000002 } }
  - match: { id: org_10000000000000001 }
    set: { display_name: Changed }
  - match: { id: org_10000000000000002 }
    set: { display_name: Gone }`,
      ),
    );

    expect(failure[0]).toBe('invalid_argument');
    expect(environment.collections()).toEqual(before);
  });

  it('reschedule deadlines: an edited invitation expires at its new time', () => {
    const environment = createEnvironment();
    edit(environment, `memberships:\n  - match: { id: ${LENA} }\n    set: { expires_at: now+1h }`);

    environment.advance(3_600_000);

    expect(environment.tables.memberships.get(LENA).membership_status).toBe('INVITE_EXPIRED');
  });
});

describe('single rows', () => {
  const row = { id: 'perm_2', name: 'a', description: 'b', is_scalekit_permission: false };
  const times = { create_time: 'now-1d', update_time: 'now' };

  it('are inserted or replaced by putRow', () => {
    const rows = inWork((env) => {
      putRow(env, control, 'permissions', { ...row, ...times });
      return putRow(env, control, 'permissions', { ...row, ...times, name: 'c' });
    });

    expect(rows).toEqual({ ...row, name: 'c', create_time: '2026-02-28T09:00:00.000Z', update_time: NOW });
  });

  it('are rejected with every error they have', () => {
    const failure = failureOf(() =>
      inWork((env) =>
        putRow(env, control, 'mails', { id: 'mail_2', kind: 'invitation', subject: 7, text: '' }),
      ),
    );

    expect(failure[0]).toBe('invalid_argument');
    expect(failure[1]).toMatch(/^mails mail_2: .*'to'; subject: must be string/);
  });

  it('are patched as RFC 7396 describes', () => {
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

  it('cannot change their ids, and must exist to be patched', () => {
    const patch = (id: string, members: object) =>
      failureOf(() => inWork((env) => patchRow(env, control, 'users', id, { ...members })));

    expect(patch('usr_10000000000000101', { id: 'usr_10000000000000999' })[0]).toBe('invalid_argument');
    expect(patch('usr_1', {})).toEqual(['not_found', 'user usr_1 not found']);
  });
});
