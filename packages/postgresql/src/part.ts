import type { Part } from '@understudy/core/parts';

export const part: Part = {
  database: async () => {
    const [{ openDatabase }, { SharedCalls }] = await Promise.all([
      import('./postgres-store.ts'),
      import('./shared-calls.ts'),
    ]);
    return { openDatabase, SharedCalls };
  },
};
