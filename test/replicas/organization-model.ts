import type { Model } from './linearizability.ts';

/** What the calls see of one organization. */
export interface Organization {
  /** Chosen by the call that has created it, and never changed: another organization with the same external id has another one. */
  born: string;
  /** Chosen by the call that has last written it. */
  value: string;
}

/** `result`: undefined if nobody knows it. */
export type OrganizationCall =
  | { call: 'create'; born: string; value: string; result?: 'created' | 'taken' | undefined }
  | { call: 'update'; born: string; value: string; result?: 'updated' | 'absent' | undefined }
  | { call: 'delete'; born: string; result?: 'deleted' | 'absent' | undefined }
  | { call: 'read'; result: Organization | 'absent' };

export type State = Organization | 'absent';

/** An external id: at most one organization has it at a time. */
export const ORGANIZATION: Model<State, OrganizationCall> = {
  initial: 'absent',

  step(state, operation) {
    switch (operation.call) {
      case 'create':
        return create(state, operation);
      case 'update':
        return change(state, operation, { born: operation.born, value: operation.value }, 'updated');
      case 'delete':
        return change(state, operation, 'absent', 'deleted');
      default:
        return keyOf(state) === keyOf(operation.result) ? state : undefined;
    }
  },

  key: keyOf,
};

type Written<C> = Extract<OrganizationCall, { call: C }>;

function create(state: State, { born, value, result }: Written<'create'>): State | undefined {
  const expected = state === 'absent' ? 'created' : 'taken';
  if (result !== undefined && result !== expected) return undefined;
  return expected === 'created' ? { born, value } : state;
}

/** A call that names the organization by its own id, so that it changes no other one with the same external id. */
function change(
  state: State,
  { born, result }: Written<'update' | 'delete'>,
  next: State,
  success: 'updated' | 'deleted',
): State | undefined {
  const expected = state !== 'absent' && state.born === born ? success : 'absent';
  if (result !== undefined && result !== expected) return undefined;
  return expected === 'absent' ? state : next;
}

function keyOf(state: State): string {
  return state === 'absent' ? '' : `${state.born} ${state.value}`;
}
