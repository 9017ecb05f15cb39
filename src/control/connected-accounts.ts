import { unknownName, type ControlOperations } from './handler.ts';

export const connectedAccounts = {
  async Control_AuthorizeAccount({ path, body }, { environment, baseUrl }) {
    const { connected_accounts } = environment.tables;
    if (!connected_accounts.find(path.id))
      throw unknownName(
        'connected account',
        path.id,
        connected_accounts.list().map(({ id }) => id),
      );
    const { authorizeAccount } = await import('../operations/connected-accounts/account-authorization.ts');
    return environment.transact({ baseUrl }, (env) => authorizeAccount(env, path.id, body ?? {})).result;
  },
} satisfies Partial<ControlOperations>;
