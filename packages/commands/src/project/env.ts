import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ControlClient } from '@understudy/client/control';
import { FileError, readRegularFile } from '@understudy/text/files';
import { otherScheme } from '@understudy/core/server/address';
import { CertificateError } from '@understudy/core/server/certificates/certificates';
import type { ENV_FORMATS, Sdk } from '../commands/env-command.ts';
import { connect } from '@understudy/core/cli/connect';
import { trustSettings, type EnvOptions } from './trust.ts';

/**
 * Prints the variables with which an official SDK calls a running service: address, credentials and, for an
 * SDK that uses TLS, the certificate, which is written to a file. Throws ConnectionError if nothing answers,
 * ControlError for an unknown environment, CertificateError if the file cannot be written.
 */
export async function env(options: EnvOptions): Promise<string> {
  const { sdk, url, format, environment } = options;
  const { control, credentials } = await fetchEnvironment(options);
  const webhooks = await webhookSecretsOf(control, environment);
  const isTls = url.startsWith('https:') || (sdk !== undefined && SPEAKS_TLS.has(sdk));
  const caFile = isTls ? keepAuthority(await control.authority(), options) : undefined;
  const trusted = caFile === undefined ? { variables: {}, hints: [] } : await trustSettings(options, caFile);
  const address = addressFor(sdk, isTls ? otherScheme(url, 'https') : url);
  const variables = {
    SCALEKIT_ENVIRONMENT_URL: address,
    SCALEKIT_ENV_URL: address, // Programs read one of these two.
    SCALEKIT_CLIENT_ID: credentials.client_id,
    SCALEKIT_CLIENT_SECRET: credentials.client_secret,
    ...webhooks.variables,
    ...trusted.variables,
  };
  if (format === 'json') return `${JSON.stringify(variables)}\n`;
  const hints = format === 'github' ? [] : [...trusted.hints, ...webhooks.hints];
  return [...hints, ...Object.entries(variables).map(LINES[format]), ''].join('\n');
}

async function fetchEnvironment(options: EnvOptions) {
  const control = await connect(options);
  return { control, credentials: await control.environments.get(options.environment) };
}

/**
 * Writes the certificate and returns its path. Every simulator has its own authority, and so has every start
 * with `--memory`, so one shared file would break the others.
 */
function keepAuthority(certificate: string, { caFile, folder }: EnvOptions): string {
  const mark = createHash('sha256').update(certificate).digest('hex').slice(0, 12);
  const file = resolve(caFile ?? join(folder, `understudy-ca-${mark}.pem`));
  try {
    if (!existsSync(file) || readRegularFile(file) !== certificate) writeFileSync(file, certificate);
    return file;
  } catch (thrown) {
    const reason = thrown instanceof FileError ? thrown.reason : (thrown as Error).message;
    throw new CertificateError(`cannot write ${file}: ${reason}`);
  }
}

/** These SDKs use TLS whatever the scheme of the address is. */
const SPEAKS_TLS: ReadonlySet<Sdk> = new Set(['python', 'java']);

/** Java's SDK takes host and port as the name of the host, and connects to port 443. */
const addressFor = (sdk: Sdk | undefined, url: string) =>
  sdk === 'java' ? `https://${new URL(url).hostname}` : url;

const shellLine = ([name, value]: [string, string]) =>
  `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`;

const dotenvLine = ([name, value]: [string, string]) => `${name}=${JSON.stringify(value)}`;

/** For `docker run --env-file` and `$GITHUB_ENV`, which take values literally. No value has a line break. */
const literalLine = ([name, value]: [string, string]) => `${name}=${value}`;

const LINES: Record<Exclude<(typeof ENV_FORMATS)[number], 'json'>, typeof shellLine> = {
  shell: shellLine,
  dotenv: dotenvLine,
  docker: literalLine,
  github: literalLine,
};

/**
 * Variables with the secrets of the webhook endpoints, and comments that say which endpoint each belongs to.
 */
interface WebhookSecrets {
  variables: Record<string, string>;
  hints: string[];
}

/**
 * The oldest endpoint gets the plain name. Unverified (webhooks/secret-variable): no SDK defines a name for this
 * variable.
 */
async function webhookSecretsOf(control: ControlClient, environment: string): Promise<WebhookSecrets> {
  const endpoints = await control.environment(environment).webhooks.endpoints();
  const called = endpoints.filter(({ kind, secret }) => kind === 'http' && secret !== undefined);
  const named = called.map(({ id, url, secret }, index) => ({
    suffix: index === 0 ? '' : `_${index + 1}`,
    id,
    url: url ?? '',
    secret,
  }));
  const isOne = named.length === 1;
  const pairs = named.flatMap(({ suffix, url, secret }) => [
    [`SCALEKIT_WEBHOOK_SECRET${suffix}`, secret],
    // JSON has no comments, so the address is a variable too.
    ...(isOne ? [] : [[`SCALEKIT_WEBHOOK_URL${suffix}`, url]]),
  ]);
  const hints = named.map(
    ({ suffix, id, url }) => `# SCALEKIT_WEBHOOK_SECRET${suffix} signs what goes to ${url} (${id}).`,
  );
  return { variables: Object.fromEntries(pairs) as Record<string, string>, hints: isOne ? [] : hints };
}
