import { writeFileSync } from 'node:fs';
import { ControlClient } from '../client/control.ts';
import type { ENV_FORMATS, Sdk } from './sdks.ts';

export interface EnvOptions {
  sdk: Sdk;
  url: string;
  environment: string;
  format: (typeof ENV_FORMATS)[number];
  /** Where to write the certificate that clients must trust. */
  caFile: string;
  /** Of the control API. */
  token: string | undefined;
}

/**
 * What to set so that an official SDK calls a running service: address and credentials of an environment and, where
 * the SDK speaks TLS, what it must trust. The certificate is written to a file then.
 */
export async function env(options: EnvOptions): Promise<string> {
  const { sdk, url, environment, format, caFile } = options;
  // The port speaks both, and what TLS shows can't be trusted yet.
  const plain = url.replace(/^https:/, 'http:');
  const control = new ControlClient(plain, options.token === undefined ? {} : { token: options.token });
  const { client_id, client_secret } = await control.environments.get(environment);
  const isTls = url.startsWith('https:') || SPEAKS_TLS.has(sdk);
  if (isTls) writeFileSync(caFile, await control.authority());
  const variables = {
    SCALEKIT_ENVIRONMENT_URL: addressFor(sdk, isTls ? url.replace(/^http:/, 'https:') : url),
    SCALEKIT_CLIENT_ID: client_id,
    SCALEKIT_CLIENT_SECRET: client_secret,
    ...(isTls && trust(sdk, caFile)),
  };
  if (format === 'json') return `${JSON.stringify(variables)}\n`;
  const write = format === 'shell' ? exported : assigned;
  return [...hints(sdk, isTls, caFile), ...Object.entries(variables).map(write), ''].join('\n');
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

const storeOf = (file: string) => file.replace(/\.pem$/, '.p12');

function hints(sdk: Sdk, isTls: boolean, file: string): string[] {
  if (sdk !== 'java' || !isTls) return [];
  return [
    '# Java trusts what is in a store of its own, which keytool makes:',
    `#   keytool -importcert -noprompt -alias understudy -file ${file} -keystore ${storeOf(file)} -storepass changeit`,
    '# Its SDK calls port 443 whatever the address says: start with --port 443, or map it (docker run -p 443:8080).',
  ];
}

const exported = ([name, value]: [string, string]) =>
  `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`;

const assigned = ([name, value]: [string, string]) => `${name}=${JSON.stringify(value)}`;
