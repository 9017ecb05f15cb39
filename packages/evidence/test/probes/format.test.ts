import { describe, expect, it } from 'vitest';
import { ProbeError, readProbes } from '../../src/probes/probe.ts';

const file = (...steps: string[]) =>
  `- rule: roles/test\n  steps:\n${steps.map((step) => `    - ${step}\n`).join('')}`;
const MADE = '{ call: POST /api/v1/roles, keep: { role: role.id }, undo: "DELETE /api/v1/roles/${role}" }';
const ASKED = '{ call: "GET /api/v1/roles/${role}", expect: { status: 200 } }';

describe('a file of probes', () => {
  it('is read', () => {
    expect(readProbes('roles.yaml', file(MADE, ASKED))).toMatchObject([
      { rule: 'roles/test', steps: [{}, {}] },
    ]);
  });

  it('may change a row of its own that the body names', () => {
    const change = '{ call: PUT /api/v1/tools, body: { id: "${role}" }, expect: { status: 200 } }';
    expect(readProbes('roles.yaml', file(MADE, change))).toHaveLength(1);
  });

  it('may ask over gRPC', () => {
    const rpc =
      '{ rpc: scalekit.v1.roles.RolesService/GetRole, body: { role_name: "${role}" }, expect: { status: 200 } }';
    expect(readProbes('roles.yaml', file(MADE, rpc))).toHaveLength(1);
  });

  it.each([
    ['', 'must be a list of probes'],
    ['- steps: []', 'probe 1: needs a rule'],
    ['- rule: roles/test', 'probe 1 (roles/test): needs steps'],
    [file(MADE), 'probe 1 (roles/test): no step has an expect'],
    [file('{ cal: GET /x }'), 'step 1: unknown member cal; did you mean call?'],
    [file('{ call: /api/v1/roles }'), 'step 1: call must be a method and a path'],
    [file(MADE, ASKED.replace('role}', 'rol}')), 'step 2: no step before it keeps rol; did you mean role?'],
    [file(ASKED, MADE), 'step 1: no step before it keeps role'],
    [
      file(MADE, ASKED.replace('status', 'state')),
      'step 2: unknown member expect.state; did you mean status?',
    ],
    [file(MADE.replace(/, undo.*"/, ''), ASKED), 'step 1: a POST must say what becomes of what it makes'],
    [file(MADE.replace('undo: "', 'undo: "POST '), ASKED), 'step 1: undo must be a method and a path'],
    [
      file(MADE.replace(/undo: (".*")/, 'undo: { call: $1, form: {} }'), ASKED),
      'step 1: unknown member undo.form',
    ],
    [file(MADE.replace('role.id', '"role.name=${rol}.id"'), ASKED), 'step 1: no step keeps rol'],
    [file(MADE, ASKED.replace('expect', 'needs: {}, expect')), 'step 2: needs must have a member'],
    [
      file(MADE, ASKED.replace('status: 200', 'lifetimes: { role.end: soon }')),
      'step 2: expect.lifetimes must name durations, such as 1m',
    ],
    [file(MADE.replace('undo', 'within: 3, undo'), ASKED), 'step 1: within must be a number of seconds'],
    [
      file(MADE, '{ call: DELETE /api/v1/roles/admin, expect: { status: 200 } }'),
      'step 2: DELETE /api/v1/roles/admin could change what the probe did not make',
    ],
    [
      file(MADE, '{ call: DELETE /api/v1/roles/admin, expect: { status: 400 } }'),
      'step 2: DELETE /api/v1/roles/admin could change what the probe did not make',
    ],
    [
      file(
        '{ call: GET /api/v1/roles, keep: { any: roles.0.name } }',
        '{ call: "DELETE /api/v1/roles/${any}", expect: { status: 200 } }',
      ),
      'step 2: DELETE /api/v1/roles/${any} could change what the probe did not make',
    ],
    [
      file(
        '{ call: GET /api/v1/roles, keep: { any: roles.0.name }, undo: "DELETE /api/v1/roles/${any}", expect: { status: 200 } }',
      ),
      'step 1: the undo of GET /api/v1/roles could remove what the probe did not make',
    ],
    [
      file('{ call: POST /api/v1/roles, expect: { status: 400 } }'),
      'step 1: a POST must say what becomes of what it makes',
    ],
    [
      file(
        '{ call: PUT /api/v1/roles:set_defaults, body: { default_member_role: "${run}" }, expect: { status: 200 } }',
      ),
      'step 1: PUT /api/v1/roles:set_defaults could change what the probe did not make',
    ],
    [
      file('{ rpc: RolesService.GetRole, expect: { status: 200 } }'),
      'step 1: rpc must be a service and a method, such as scalekit.v1.roles.RolesService/DeleteRole',
    ],
    [file('{ rpc: a.B/Get, call: GET /x, expect: { status: 200 } }'), 'step 1: give call or rpc, not both'],
    [
      file('{ rpc: a.B/Get, query: { a: 1 }, expect: { status: 200 } }'),
      'step 1: an rpc has no query: its message is the body',
    ],
    [file('{ rpc: a.B/CreateRole, expect: { status: 200 } }'), 'step 1: such an RPC must say what becomes'],
    [
      file('{ rpc: a.B/DeleteRole, body: { role_name: admin, note: "${run}" }, expect: { status: 200 } }'),
      'step 1: a.B/DeleteRole could change what the probe did not make',
    ],
  ])('is refused with the place and the reason: %j', (text, message) => {
    expect(() => readProbes('roles.yaml', text)).toThrow(ProbeError);
    expect(() => readProbes('roles.yaml', text)).toThrow(message);
  });
});
