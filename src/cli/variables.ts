import { InvalidArgumentError } from 'commander';
import { canonicalHost } from '../server/address.ts';
import { suggest } from '@understudy/text/suggestion';

const PREFIX = 'UNDERSTUDY_';
/** Variables without a flag of `serve`. */
const OTHER_VARIABLES = ['CLIENT_ID', 'CLIENT_SECRET', 'CONTROL_TOKEN', 'URL'].map((name) => PREFIX + name);
/** Kubernetes sets these in every pod if there is a service called `understudy`. */
const KUBERNETES_VARIABLE = /^UNDERSTUDY_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;

/**
 * Warns about variables that nothing reads, with a suggestion, because a misspelt variable would silently do
 * nothing.
 */
export function warningsFor(variables: Variables, flags: readonly (string | undefined)[]): string[] {
  const known = [...OTHER_VARIABLES, ...flags.filter((name) => name !== undefined)];
  const unknown = Object.keys(variables).filter(
    (name) => name.startsWith(PREFIX) && !known.includes(name) && !KUBERNETES_VARIABLE.test(name),
  );
  return unknown.map((name) => `unknown variable ${name}: it has no effect${hint(name, known)}`);
}

/** Compares without the common prefix, which would make all names similar. */
function hint(name: string, known: readonly string[]): string {
  const near = suggest(
    name.slice(PREFIX.length),
    known.map((each) => each.slice(PREFIX.length)),
  );
  return near.replace('did you mean ', `did you mean ${PREFIX}`);
}

/**
 * Kubernetes sets this variable if there is a service called `understudy`; `tcp://10.0.0.1:8080` is no port
 * to listen on.
 */
export function forgetServiceLink(variables: Variables): void {
  if (variables['UNDERSTUDY_PORT']?.includes('://')) delete variables['UNDERSTUDY_PORT'];
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function countOfSome(text: string): number {
  const count = wholeNumber(text);
  if (count === 0) throw new InvalidArgumentError('It must be 1 or more.');
  return count;
}

export function percentage(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) > 100)
    throw new InvalidArgumentError('It must be a number from 0 to 100.');
  return Number(text);
}

export function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('It must be from 0 to 65535.');
  return port;
}

export function emailAddress(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new InvalidArgumentError('It must be an e-mail address.');
  return text;
}

export function webAddress(text: string): string {
  const [origin = '', scheme, host = ''] = /^(https?):\/\/([^/]+)/.exec(text) ?? [];
  if (!URL.canParse(text) || (scheme !== 'http' && scheme !== 'https'))
    throw new InvalidArgumentError('It must be an http or https address.');
  return `${scheme}://${canonicalHost(host, scheme)}${text.slice(origin.length)}`.replace(/\/+$/, '');
}

export type Variables = Record<string, string | undefined>;
