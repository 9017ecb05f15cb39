import type { Tables } from './table-spec.ts';

export const toolsTables = {
  providers: { noun: 'provider', schema: 'ProviderRow', indexes: {} },
  tools: {
    noun: 'tool',
    schema: 'ToolRow',
    indexes: { name: (t) => t.definition.name, provider: (t) => t.provider },
  },
} satisfies Pick<Tables, 'providers' | 'tools'>;
