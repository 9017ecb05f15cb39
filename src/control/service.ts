import type { ControlOperations } from './handler.ts';

export const service = {
  Control_Health(_, { version }) {
    return { status: 'ok' as const, version };
  },

  Control_Document(_, { documents, baseUrl }) {
    return { ...documents.control(), servers: [{ url: baseUrl }] };
  },
} satisfies Partial<ControlOperations>;
