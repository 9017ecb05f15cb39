import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { DEFAULT_ENVIRONMENT } from './environment-names.ts';
import type { Environments } from './environments.ts';

/** Warns if `--auto-login` names an unknown user. The user may be created later, but a typing error is more likely. */
export async function warnOfNobody(
  { autoLogin }: Config,
  environments: Environments,
  { warn }: Log,
): Promise<void> {
  if (autoLogin === undefined) return;
  const { users } = environments.get(DEFAULT_ENVIRONMENT).tables;
  if (users.findBy('email', autoLogin.toLowerCase())) return;
  const { suggestAmong } = await import('../text/suggestion.ts');
  const known = users.list().map(({ email }) => email);
  warn(`--auto-login: no user has the address ${autoLogin} yet${suggestAmong(autoLogin, known)}`);
}
