/** The environment that issues a code. */
interface Issuer {
  environment: string;
}

interface SecretIssuer extends Issuer {
  draw: { text: (length: number) => string };
}

/** Codes outside the environment `default` contain its name, so that the browser's next request finds it. */
export const withEnvironmentName = ({ environment }: Issuer, code: string): string =>
  environment === 'default' ? code : `${environment}.${code}`;

/** The code without the name of its environment. */
export const withoutEnvironment = (code: string): string => code.slice(code.indexOf('.') + 1);

/** Like `withEnvironmentName`, for the code of a row that a fixture or another environment may have made. */
export const addressCode = (env: Issuer, code: string): string =>
  withEnvironmentName(env, withoutEnvironment(code));

/** The code without the name of this environment. A code with another name is unknown here. */
export function ownCode(env: Issuer, code: string): string | undefined {
  const bare = withoutEnvironment(code);
  return bare === code || withEnvironmentName(env, bare) === code ? bare : undefined;
}

/**
 * A secret that is easy to recognize as fake. Outside the environment `default` it contains the environment's
 * name.
 */
export function drawSecret({ environment, draw }: SecretIssuer): string {
  const mark = environment === 'default' ? '' : `${environment}_`;
  return `test_${mark}${draw.text(40)}`;
}
