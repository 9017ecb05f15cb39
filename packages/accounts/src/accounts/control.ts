import { unknownName, type ControlOperations } from '@understudy/core/control/handler';
import { authorizeAccount } from './account-authorization.ts';

export const control = {
  Control_AuthorizeAccount({ path, body }, { environment, baseUrl }) {
    const { connected_accounts } = environment.tables;
    if (!connected_accounts.find(path.id))
      throw unknownName(
        'connected account',
        path.id,
        connected_accounts.list().map(({ id }) => id),
      );
    return environment.transact({ baseUrl }, (env) => authorizeAccount(env, path.id, body ?? {})).result;
  },
} satisfies Partial<ControlOperations>;
