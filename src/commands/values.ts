import { canonicalHost } from '../http/address.ts';
import { InvalidArgumentError } from 'commander';

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
