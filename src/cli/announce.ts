import type { Config } from '../config.ts';
import { readVersion } from '../documents.ts';
import { withoutPassword } from '../text/addresses.ts';

/** What `serve` prints once it is ready: address and credentials, for people or as one line of JSON. */
export function announcement(url: string, config: Config, json: boolean): string {
  const { credentials, webhooks, webhookSecret } = config;
  const { client_id, client_secret } = credentials;
  const isTold = webhooks.length > 0;
  if (json) {
    const signing = isTold && { webhook_secret: webhookSecret };
    const ready = { url, client_id, client_secret, ...signing, version: readVersion() };
    return `${JSON.stringify(ready)}\n`;
  }
  // Clients of port 443 use TLS. A program that reads the JSON may not trust our certificate, so it gets the
  // http address. It may look up localhost as ::1 alone, so the JSON has the number; people get the name that the docs use.
  const named = config.baseUrl ?? url.replace('//127.0.0.1', '//localhost');
  const shown = named.replace(/^http:(.*):443$/, 'https:$1');
  const banner = [
    `Understudy ${readVersion()} is ready at ${shown}`,
    '',
    `  client_id      ${client_id}`,
    `  client_secret  ${client_secret}`,
    `  dashboard      ${shown}/_control/`,
    `  API document   ${shown}/openapi.json`,
    `  control API    ${shown}/_control/v1/openapi.json`,
    `  state          ${placeOf(config)}`,
    ...(isTold ? [`  webhooks to    ${webhooks.join(', ')}`, `  signed with    ${webhookSecret}`] : []),
    '',
  ];
  return `${banner.join('\n')}\n`;
}

function placeOf({ data, store }: Config): string {
  if (store !== undefined) return `kept in ${withoutPassword(store)}`;
  return data === undefined ? 'in memory' : `kept in ${data}`;
}
