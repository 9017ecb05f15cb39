import { nextKey, rotate } from '../state/signing-keys.ts';
import type { ControlOperations } from './handler.ts';
import { readOverlap } from './webhooks.ts';

export const keys = {
  async Control_RotateKeys({ body }, { environment, baseUrl }) {
    const overlap = body?.overlap === undefined ? undefined : readOverlap(body.overlap);
    for (;;) {
      const key = await nextKey(environment.tables.signing_keys, environment.made.seed);
      const { result } = environment.transact({ baseUrl }, (env) => rotate(env, key, overlap));
      if (result) return result;
      // Another rotation has come first, while the key was made.
    }
  },
} satisfies Partial<ControlOperations>;
