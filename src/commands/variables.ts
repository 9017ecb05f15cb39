import { suggest } from '../text/suggestion.ts';
import type { Variables } from './options.ts';

const PREFIX = 'UNDERSTUDY_';
/** What no flag of `serve` has. */
const OTHERS = ['CLIENT_ID', 'CLIENT_SECRET', 'CONTROL_TOKEN', 'URL', 'WRITE_CODE_CACHE'].map(
  (name) => PREFIX + name,
);
/** A cluster sets these in every pod beside a service of the name `understudy`. */
const OF_A_CLUSTER = /^UNDERSTUDY_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;

/** Says of variables that nothing reads which they may be meant for: a misspelt one would do nothing, silently. */
export function warningsFor(variables: Variables, flags: readonly (string | undefined)[]): string[] {
  const known = [...OTHERS, ...flags.filter((name) => name !== undefined)];
  const unknown = Object.keys(variables).filter(
    (name) => name.startsWith(PREFIX) && !known.includes(name) && !OF_A_CLUSTER.test(name),
  );
  return unknown.map((name) => `no setting has the variable ${name}: it changes nothing${hint(name, known)}`);
}

/** Of the part behind the prefix alone: names that share the prefix are not alike for it. */
function hint(name: string, known: readonly string[]): string {
  const near = suggest(
    name.slice(PREFIX.length),
    known.map((each) => each.slice(PREFIX.length)),
  );
  return near.replace('did you mean ', `did you mean ${PREFIX}`);
}

/** A cluster sets this one beside a service of the name `understudy`: `tcp://10.0.0.1:8080` is no port to listen at. */
export function forgetServiceLink(variables: Variables): void {
  if (variables['UNDERSTUDY_PORT']?.includes('://')) delete variables['UNDERSTUDY_PORT'];
}
