import type { Part } from '@understudy/core/parts';

export const part: Part = {
  database: async () => {
    const [{ openDatabase }, { Forwarding }] = await Promise.all([
      import('./postgres-store.ts'),
      import('./forwarding/forwarding.ts'),
    ]);
    return { openDatabase, Forwarding };
  },
};
