import type { ControlOperations } from './handler.ts';

/** The software authenticator is loaded at its first use. */
const authenticator = () => import('../operations/passkeys/software-authenticator.ts');

export const passkeys = {
  async Control_ListPasskeys(_, { environment, baseUrl }) {
    const { listPasskeys } = await authenticator();
    return { passkeys: environment.transact({ baseUrl }, listPasskeys).result };
  },

  async Control_CreatePasskey({ body }, { environment, baseUrl }) {
    const { createPasskey } = await authenticator();
    return environment.transact({ baseUrl }, (env) => createPasskey(env, body)).result;
  },

  async Control_SignPasskeyChallenge({ body }, { environment, baseUrl }) {
    const { answerChallenge } = await authenticator();
    return environment.transact({ baseUrl }, (env) => answerChallenge(env, body)).result;
  },
} satisfies Partial<ControlOperations>;
