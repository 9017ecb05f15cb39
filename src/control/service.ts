import { TextReply, type ControlOperations } from './handler.ts';

export const service = {
  Control_Health(_, { version, simulator }) {
    const refusal = simulator.environments.refusal();
    if (refusal) throw refusal;
    return { status: 'ok' as const, version };
  },

  async Control_Authority(_, { certificates }) {
    return new TextReply('application/x-pem-file', await certificates.authority());
  },

  Control_Document(_, { documents, baseUrl }) {
    return { ...documents.control(), servers: [{ url: baseUrl }] };
  },
} satisfies Partial<ControlOperations>;
