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

export function collectedHosts(text: string, before: string[]): string[] {
  const hosts = collected(text, before);
  for (const host of hosts)
    if (!isIP(host) && !HOST_NAME.test(host))
      throw new InvalidArgumentError(
        `${host} is neither the name of a host, such as idp.example, nor an IP address.`,
      );
  return hosts;
}

/** A name that ends in a number would be an IP address. */
const HOST_NAME = /^(?!(.*\.)?\d+$)(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;

export const collectedReferences = (text: string, before: string[]) => [...before, ...splitReferences(text)];

export function collectedReports(text: string, before: string[]): string[] {
  const files = collected(text, before);
  for (const file of files)
    if (!REPORT_FILE.test(file))
      throw new InvalidArgumentError(`${file} must end in .html, or in .xml for JUnit.`);
  return files;
}

const REPORT_FILE = /\.(html|xml)$/i;

/** Like `collected`, and allows spaces around the commas. */
export const listed = (text: string, before: string[]) => [
  ...before,
  ...text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== ''),
];

/** An empty list would lift the limit, so it is an error. */
export function listedHosts(text: string, before: string[]): string[] {
  const hosts = listed(text, before);
  if (hosts.length === before.length) throw new InvalidArgumentError('It must name a host.');
  return hosts;
}

export function collected(text: string, before: string[]): string[] {
  return [...before, ...text.split(',')];
}
