import type { Traces } from './record.ts';
import type { Unit } from './unit.ts';

/** The sign-in that this unit has brought to its end, as far as there is one: what else happens in it can be found by it. */
export function signInOf(unit: Unit): Pick<Traces, 'auth_request_id' | 'connection_id'> {
  const log = unit.changed('auth_logs').find(({ after }) => after?.status === 'SUCCESS')?.after;
  if (!log) return {};
  return { auth_request_id: log.id, ...(log.connection_id && { connection_id: log.connection_id }) };
}
