import type { Env } from '../environment/env.ts';
import { withoutEnvironment } from '../text/issued-code.ts';

/** Codes outside the environment `default` contain its name, so that the browser's next request finds it. */
export const withEnvironmentName = ({ environment }: Env, code: string) =>
  environment === 'default' ? code : `${environment}.${code}`;

/** Like `withEnvironmentName`, for the code of a row that a fixture or another environment may have made. */
export const addressCode = (env: Env, code: string) => withEnvironmentName(env, withoutEnvironment(code));

/**
 * A secret that is easy to recognize as fake. Outside the environment `default` it contains the environment's
 * name.
 */
export function drawSecret({ environment, draw }: Env): string {
  const mark = environment === 'default' ? '' : `${environment}_`;
  return `test_${mark}${draw.text(40)}`;
}
