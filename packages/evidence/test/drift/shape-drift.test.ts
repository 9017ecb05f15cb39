import { describe, expect, it } from 'vitest';
import { createDocuments } from '../../../../src/contract/documents.ts';
import { Ledger } from '../../src/drift/ledger.ts';
import { shapeDrift } from '../../src/drift/shape-drift.ts';
import type { AnswerShape, FieldShape, Shape } from '../../src/recordings/shape.ts';
import { packageFiles } from '../../../../test/support/boot.ts';

const ledger = new Ledger(createDocuments().service());

const field = (types: string[], more: Partial<FieldShape> = {}): FieldShape => ({
  present: 2,
  types,
  ...more,
});
const ROLE_FIELDS = {
  '.': field(['object'], { objects: 2 }),
  role: field(['object'], { objects: 2 }),
  ...Object.fromEntries(
    ['id', 'name', 'display_name', 'description'].map((name) => [`role.${name}`, field(['string'])]),
  ),
  ...Object.fromEntries(
    ['default_creator', 'default_member', 'is_org_role'].map((name) => [`role.${name}`, field(['boolean'])]),
  ),
  'role.dependent_roles_count': field(['number']),
};

/** Two answers of an operation. */
function driftOf(fields: Record<string, FieldShape>, wanted: { name?: string; status?: string } = {}) {
  const { name = 'RolesService_GetRole', status = '200' } = wanted;
  const answer: AnswerShape = { examples: 2, headers: {}, fields };
  const shape: Shape = { format: 1, operations: { [name]: { [status]: answer } }, events: {} };
  return shapeDrift(shape, packageFiles.contract, ledger);
}

describe('a shape', () => {
  it('that fits the contract is no drift', () => {
    expect(driftOf(ROLE_FIELDS)).toMatchObject({
      findings: [],
      counts: { identical: 1, drift: 0, unknown: 0 },
    });
  });

  it('does not make a field required that every example has', () => {
    expect(driftOf({ ...ROLE_FIELDS, 'role.extends': field(['string']) }).findings).toEqual([]);
  });

  it.each([
    ['an added field', { 'role.colour': field(['string']) }, 'field added', 'cosmetic', 'body.role.colour'],
    ['another type', { 'role.id': field(['number']) }, 'type', 'breaking', 'body.role.id'],
    [
      'a field that is sometimes absent',
      { 'role.name': field(['string'], { present: 1 }) },
      'field missing',
      'breaking',
      'body.role.name',
    ],
  ])('shows %s', (_, more, kind, severity, at) => {
    const { findings } = driftOf({ ...ROLE_FIELDS, ...more });

    expect(findings).toMatchObject([{ subject: 'RolesService_GetRole', kind, severity, at }]);
  });

  it('shows a status and an operation that the contract lacks', () => {
    expect(driftOf({}, { status: '299' }).findings).toMatchObject([{ kind: 'status', at: 'status' }]);
    expect(driftOf({}, { name: 'GET /api/v1/moons' }).findings).toMatchObject([{ kind: 'operation' }]);
  });

  it('shows a value that an enum lacks', () => {
    const fields = {
      '.': field(['object'], { objects: 1, present: 1 }),
      domain: field(['object'], { present: 1, objects: 0 }),
      'domain.verification_status': field(['string'], { values: ['VERIFIED', 'HALF'] }),
    };
    expect(driftOf(fields, { name: 'DomainService_GetDomain' }).findings).toMatchObject([
      { kind: 'enum value', theirs: 'HALF', at: 'body.domain.verification_status' },
    ]);
  });
});
