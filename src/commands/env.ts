import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CertificateError } from '../certificates/certificates.ts';
import { ConnectionError, ControlClient } from '../client/control.ts';
import { FileError, readRegularFile } from '../regular-file.ts';
import type { ENV_FORMATS, Sdk } from './sdks.ts';

export interface EnvOptions {
  sdk: Sdk;
  url: string;
  environment: string;
  format: (typeof ENV_FORMATS)[number];
  /** Where to write the certificate that clients must trust; undefined: a file of its own in the folder. */
  caFile?: string;
  /** For what nobody named a place for. */
  folder: string;
  /** Of the control API. */
  token: string | undefined;
}

/**
 * What to set so that an official SDK calls a running service: address and credentials of an environment and, where
 * the SDK speaks TLS, what it must trust. The certificate is written to a file then. Throws ConnectionError where
 * nothing answers, ControlError for an unknown environment, CertificateError for a file that can't be written.
 */
export async function env(options: EnvOptions): Promise<string> {
  const { sdk, url, format } = options;
  // The port speaks both, and what TLS shows can't be trusted yet.
  const plain = url.replace(/^https:/, 'http:');
  const control = new ControlClient(plain, options.token === undefined ? {} : { token: options.token });
  const { client_id, client_secret } = await credentialsOf(control, options);
  const webhookSecret = await webhookSecretOf(control, options);
  const isTls = url.startsWith('https:') || SPEAKS_TLS.has(sdk);
  const caFile = isTls ? keepAuthority(await control.authority(), options) : undefined;
  const variables = {
    SCALEKIT_ENVIRONMENT_URL: addressFor(sdk, isTls ? url.replace(/^http:/, 'https:') : url),
    SCALEKIT_CLIENT_ID: client_id,
    SCALEKIT_CLIENT_SECRET: client_secret,
    ...(webhookSecret !== undefined && { SCALEKIT_WEBHOOK_SECRET: webhookSecret }),
    ...(caFile !== undefined && trust(sdk, caFile)),
  };
  if (format === 'json') return `${JSON.stringify(variables)}\n`;
  const write = format === 'shell' ? exported : assigned;
  const hints = caFile === undefined ? [] : hintsFor(options, caFile);
  return [...hints, ...Object.entries(variables).map(write), ''].join('\n');
}

async function credentialsOf(control: ControlClient, { url, environment }: EnvOptions) {
  try {
    return await control.environments.get(environment);
  } catch (thrown) {
    if (!(thrown instanceof ConnectionError)) throw thrown;
    const remedy = 'start the service, or say with --url where it is';
    throw new ConnectionError(`nothing answers at ${url}: ${remedy} (${thrown.message})`, { cause: thrown });
  }
}

/** Of the receiver that was there first. Unverified: no SDK names a variable for it. */
async function webhookSecretOf(control: ControlClient, { environment }: EnvOptions) {
  const endpoints = await control.environment(environment).webhooks.endpoints();
  return endpoints.find(({ kind }) => kind === 'http')?.secret;
}

/**
 * Where the certificate is now. Services side by side have authorities of their own, as has each start with
 * `--memory`, so that one file for all would take from a program what it trusts.
 */
function keepAuthority(certificate: string, { caFile, folder }: EnvOptions): string {
  const mark = createHash('sha256').update(certificate).digest('hex').slice(0, 12);
  const file = resolve(caFile ?? join(folder, `understudy-ca-${mark}.pem`));
  try {
    if (!existsSync(file) || readRegularFile(file) !== certificate) writeFileSync(file, certificate);
    return file;
  } catch (thrown) {
    const reason = thrown instanceof FileError ? thrown.reason : (thrown as Error).message;
    throw new CertificateError(`can not write ${file}: ${reason}`);
  }
}

/** These open a TLS channel whatever the address says. */
const SPEAKS_TLS: ReadonlySet<Sdk> = new Set(['python', 'java']);

/** Java's SDK takes host and port of its address for the name of the host, and dials 443 there. */
const addressFor = (sdk: Sdk, url: string) => (sdk === 'java' ? `https://${new URL(url).hostname}` : url);

function trust(sdk: Sdk, file: string): Record<string, string> {
  if (sdk === 'node') return { NODE_EXTRA_CA_CERTS: file };
  if (sdk === 'go') return { SSL_CERT_FILE: file };
  if (sdk === 'python') return { GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: file, REQUESTS_CA_BUNDLE: file };
  const store = `-Djavax.net.ssl.trustStore=${storeOf(file)}`;
  return { JAVA_TOOL_OPTIONS: `${store} -Djavax.net.ssl.trustStorePassword=changeit` };
}

const storeOf = (file: string) => `${file.replace(/\.pem$/, '')}.p12`;

function hintsFor({ sdk, format }: EnvOptions, file: string): string[] {
  if (sdk === 'node' && format === 'dotenv')
    return [
      '# Node reads NODE_EXTRA_CA_CERTS as it starts: export it, as --env-file and dotenv come too late.',
    ];
  if (sdk !== 'java') return [];
  return [
    '# Java trusts what is in a store of its own, which keytool makes:',
    `#   keytool -importcert -noprompt -alias understudy -file ${file} -keystore ${storeOf(file)} -storepass changeit`,
    '# Its SDK calls port 443 whatever the address says: start with --port 443, or map it (docker run -p 443:8080).',
  ];
}

const exported = ([name, value]: [string, string]) =>
  `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`;

const assigned = ([name, value]: [string, string]) => `${name}=${JSON.stringify(value)}`;
