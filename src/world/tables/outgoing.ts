import { history, yesIf, type Tables } from './table-spec.ts';

export const outgoingTables = {
  outgoing_calls: {
    noun: 'outgoing call',
    schema: 'OutgoingCallRow',
    history: 'over first',
    indexes: {
      over: (c) => yesIf(c.status !== 'PENDING'),
      status: (c) => c.status,
      client_id: (c) => c.client_id,
      session_id: (c) => c.session_id,
    },
    references: { client_id: history('clients'), session_id: history('sessions') },
  },
} satisfies Pick<Tables, 'outgoing_calls'>;
