// Reads the values of flags. A wrong value throws commander's error.
import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { splitReferences } from '../scenarios/path.ts';
import { parseDuration } from '../text/duration.ts';

/** Values that turn a flag off. */
export const OFF = ['', '0', 'false', 'no', 'off'];
/** In milliseconds. */
export function lifetime(text: string): number {
  if (OFF.includes(text)) return Infinity;
  const duration = parseDuration(text);
  if (duration === undefined) throw new InvalidArgumentError('It must be a duration such as 30m, or off.');
  return duration === 0 ? Infinity : duration;
}

/** In milliseconds. */
export function leaseTime(text: string): number {
  const duration = parseDuration(text) ?? 0;
  if (duration < 1000 || duration > 600_000)
    throw new InvalidArgumentError('It must be a duration from 1s to 10m.');
  return duration;
}

/** Reads a repeatable flag. A flag or a variable may hold several values, with commas between them. */
export interface ListReader {
  (text: string, before: string[]): string[];
  /** Reads an entry of a list in a config file, which is one value, whatever commas it has. */
  entry(this: void, text: string): string;
}

const atCommas = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

function listOf(entry: (text: string) => string, split = atCommas): ListReader {
  const read = (text: string, before: string[]) => [...before, ...split(text).map(entry)];
  return Object.assign(read, { entry });
}

export const listed = listOf((text) => text);

/** An empty list would lift the limit, so it is an error. */
export const listedHosts = listOf(
  (host) => {
    if (host === '') throw new InvalidArgumentError('It must name a host.');
    return host;
  },
  (text) => (atCommas(text).length === 0 ? [''] : atCommas(text)),
);

/** A name that ends in a number would be an IP address. */
const HOST_NAME = /^(?!(.*\.)?\d+$)(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;

export const certificateHosts = listOf((host) => {
  if ((isIP(host) && !host.includes('%')) || HOST_NAME.test(host)) return host;
  throw new InvalidArgumentError(
    `${host} is neither the name of a host, such as idp.example, nor an IP address.`,
  );
});

/** Inside a reference, commas stand only before its parameters. */
export const references = listOf((text) => {
  const [, another] = splitReferences(text);
  if (another === undefined) return text;
  throw new InvalidArgumentError(`It must name one scenario; ${another} needs an entry of its own.`);
}, splitReferences);

const REPORT_FILE = /\.(html|xml)$/i;

export const reportFiles = listOf((file) => {
  if (REPORT_FILE.test(file)) return file;
  throw new InvalidArgumentError(`${file} must end in .html, or in .xml for JUnit.`);
});
