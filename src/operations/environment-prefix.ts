import type { Env } from '../environment/env.ts';
import { withoutEnvironment } from '../text/issued-code.ts';

/** Codes outside the environment `default` contain its name, so that the browser's next request finds it. */
export const withEnvironmentName = ({ environment }: Env, code: string) =>
  environment === 'default' ? code : `${environment}.${code}`;

/** Like `withEnvironmentName`, for the code of a row that a fixture or another environment may have made. */
export const addressCode = (env: Env, code: string) => withEnvironmentName(env, withoutEnvironment(code));

/** The code without the name of this environment. A code with another name is unknown here. */
export function ownCode(env: Env, code: string): string | undefined {
  const bare = withoutEnvironment(code);
  return bare === code || withEnvironmentName(env, bare) === code ? bare : undefined;
}

/**
 * A secret that is easy to recognize as fake. Outside the environment `default` it contains the environment's
 * name.
 */
export function drawSecret({ environment, draw }: Env): string {
  const mark = environment === 'default' ? '' : `${environment}_`;
  return `test_${mark}${draw.text(40)}`;
}
