import { cascade, type Tables } from './table-spec.ts';

export const toolsTables = {
  providers: {
    noun: 'provider',
    schema: 'ProviderRow',
    indexes: { type: (p) => (p.is_custom ? 'CUSTOM' : 'DEFAULT') },
  },
  tools: {
    noun: 'tool',
    schema: 'ToolRow',
    indexes: { name: (t) => t.definition.name, provider: (t) => t.provider },
    references: { provider: cascade('providers') },
  },
  proxy_responses: {
    noun: 'proxy response',
    schema: 'ProxyResponseRow',
    indexes: {
      provider: (r) => r.provider,
      target: (r) =>
        r.connector ? `connector ${r.connector}` : r.provider ? `provider ${r.provider}` : 'any',
    },
    references: { provider: cascade('providers') },
  },
} satisfies Pick<Tables, 'providers' | 'tools' | 'proxy_responses'>;
