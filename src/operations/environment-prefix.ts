import type { Env } from '../environment/env.ts';

/** Codes of other environments than `default` carry their name, so that a browser finds the way back. */
export const carrying = ({ environment }: Env, code: string) =>
  environment === 'default' ? code : `${environment}.${code}`;

/** A secret that nobody takes for a real one; those of other environments than `default` name theirs. */
export function drawSecret({ environment, draw }: Env): string {
  const mark = environment === 'default' ? '' : `${environment}_`;
  return `test_${mark}${draw.text(40)}`;
}
