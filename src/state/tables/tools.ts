import { withoutEnvironment } from '@understudy/text/issued-code';
import { cascade, forget, type Tables } from './table-spec.ts';

export const toolsTables = {
  providers: {
    noun: 'provider',
    schema: 'ProviderRow',
    indexes: { type: (p) => (p.is_custom ? 'CUSTOM' : 'DEFAULT') },
  },
  tools: {
    noun: 'tool',
    schema: 'ToolRow',
    indexes: {
      name: (t) => t.definition.name,
    },
    references: { provider: cascade('providers'), connection_id: cascade('connections') },
  },
  proxy_responses: {
    noun: 'proxy response',
    schema: 'ProxyResponseRow',
    indexes: {
      target: (r) =>
        r.connector ? `connector ${r.connector}` : r.provider ? `provider ${r.provider}` : 'any',
    },
    references: { provider: cascade('providers') },
  },
} satisfies Pick<Tables, 'providers' | 'tools' | 'proxy_responses'>;

export const recordsTables = {
  account_records: {
    noun: 'account record',
    schema: 'AccountRecordRow',
    history: 'oldest',
    indexes: {
      place: (r) => `${r.connected_account_id} ${r.kind} ${r.group}`,
      key: (r) => `${r.connected_account_id} ${r.kind} ${r.key}`,
    },
    references: { connected_account_id: cascade('connected_accounts') },
  },
} satisfies Pick<Tables, 'account_records'>;

export const mcpTables = {
  mcp_configs: {
    noun: 'mcp config',
    schema: 'McpConfigRow',
    indexes: {
      id: (c) => c.id,
      name: (c) => c.name,
      server_token: (c) => withoutEnvironment(c.server_token),
    },
    references: { connection_ids: forget('connections') },
  },
  mcp_instances: {
    noun: 'mcp instance',
    schema: 'McpInstanceRow',
    indexes: {
      id: (i) => i.id,
      name: (i) => i.name,
      user_identifier: (i) => i.user_identifier,
      config_user: (i) => `${i.config_id} ${i.user_identifier}`,
      link_token: (i) => withoutEnvironment(i.link_token),
    },
    references: { config_id: cascade('mcp_configs') },
  },
  mcps: {
    noun: 'mcp',
    schema: 'McpRow',
    indexes: {
      connected_account_identifier: (m) => m.connected_account_identifier,
      link_token: (m) => withoutEnvironment(m.link_token),
    },
    references: { connection_ids: forget('connections') },
  },
  mcp_sessions: {
    noun: 'mcp session',
    schema: 'McpSessionRow',
    history: 'oldest',
    indexes: { server: (s) => s.server },
  },
} satisfies Pick<Tables, 'mcp_configs' | 'mcp_instances' | 'mcps' | 'mcp_sessions'>;
