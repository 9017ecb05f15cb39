import { history, type Tables } from './table-spec.ts';

export const eventsTables = {
  events: {
    noun: 'event',
    schema: 'EventRow',
    history: 'oldest',
    indexes: {
      type: (e) => e.type,
      organization_id: (e) => e.organization_id,
      auth_request_id: (e) => e.auth_request_id,
      interceptor_id: (e) => e.interceptor_id,
      connection_id: (e) => e.connection_id,
      connected_account_id: (e) => e.connected_account_id,
    },
    references: {
      organization_id: history('organizations'),
      auth_request_id: history('auth_logs'),
      interceptor_id: history('interceptors'),
      connection_id: history('connections'),
      connected_account_id: history('connected_accounts'),
    },
  },
  interceptors: {
    noun: 'interceptor',
    schema: 'InterceptorRow',
    indexes: { trigger_point: (i) => i.trigger_point },
  },
} satisfies Pick<Tables, 'events' | 'interceptors'>;
