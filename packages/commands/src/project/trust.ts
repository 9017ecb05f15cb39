import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CertificateError, bundleOf } from '@understudy/core/server/certificates/certificates';
import type { Variables } from '@understudy/core/cli/variables';
import type { ENV_FORMATS, Sdk } from '../commands/env-command.ts';

/** The variables with which an SDK's programs trust a certificate, and a hint for the user. */
interface TrustSettings {
  variables: Record<string, string>;
  hints: string[];
}

/**
 * Each of these variables replaces the default list of authorities, so the bundle has to contain that list.
 */
const REPLACING = {
  go: ['SSL_CERT_FILE'],
  // httpx, which clients of MCP use, reads SSL_CERT_FILE.
  python: ['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH', 'REQUESTS_CA_BUNDLE', 'SSL_CERT_FILE'],
};

export async function trustSettings(options: EnvOptions, file: string): Promise<TrustSettings> {
  const { sdk, variables } = options;
  if (sdk === undefined)
    return { variables: {}, hints: [`# Clients must trust the certificate in ${file}.`] };
  if (sdk === 'node') return nodeTrust(options, file);
  if (sdk === 'java') {
    const { options: javaOptions, hints } = await javaTrust(file, variables);
    return { variables: { JAVA_TOOL_OPTIONS: javaOptions }, hints };
  }
  const names = REPLACING[sdk];
  const known = names.map((name) => variables[name]).find(Boolean);
  const bundle = writeBundle(file, known);
  return {
    variables: Object.fromEntries(names.map((name) => [name, bundle])),
    hints: [
      `# ${bundle} has Understudy's certificate and those that this machine trusts anyway.`,
      ...keptByDotenv(options, names, bundle),
    ],
  };
}

/** Loaders of .env files keep a variable that the shell has, so the program would not trust the certificate. */
function keptByDotenv({ variables, format }: EnvOptions, names: string[], bundle: string): string[] {
  const kept = names.filter((name) => variables[name] && variables[name] !== bundle);
  if (format !== 'dotenv' || kept.length === 0) return [];
  return [
    `# This shell has ${kept.join(', ')} already, and dotenv keeps that: unset it, or export these lines.`,
  ];
}

/** NODE_EXTRA_CA_CERTS adds to Node's authorities, but takes only one file. */
function nodeTrust({ variables, format }: EnvOptions, file: string): TrustSettings {
  const known = variables['NODE_EXTRA_CA_CERTS'];
  const late =
    '# Node reads NODE_EXTRA_CA_CERTS when it starts: export it, because --env-file and dotenv set it too late.';
  return {
    variables: { NODE_EXTRA_CA_CERTS: known ? writeBundle(file, known) : file },
    hints: format === 'dotenv' ? [late] : [],
  };
}

function writeBundle(file: string, known: string | undefined): string {
  const bundle = `${file.replace(/\.pem$/, '')}-bundle.pem`;
  try {
    writeFileSync(bundle, bundleOf(readFileSync(file, 'utf8'), known));
    return bundle;
  } catch (thrown) {
    throw new CertificateError(`cannot write ${bundle}: ${(thrown as Error).message}`);
  }
}

interface JavaTrust {
  options: string;
  hints: string[];
}

const PASSWORD = 'changeit';
const STORE_OPTION = /(^|\s)("?)-Djavax\.net\.ssl\.trustStore(Password|Type)?=(?:[^\s"]*|.*?")(?=\s|$)/g;
const PORT_HINT =
  '# Its SDK calls port 443 whatever the address says: start with --port 443, or map it (docker run -p 443:8080).';

/**
 * Java trusts the authorities of a single store. A store with only our certificate would break Maven and
 * Gradle, so the JDK's keytool adds it to a copy of the JDK's own store.
 */
async function javaTrust(caFile: string, variables: Variables): Promise<JavaTrust> {
  const store = `${caFile.replace(/\.pem$/, '')}.truststore`;
  const kept = (variables['JAVA_TOOL_OPTIONS'] ?? '').replace(STORE_OPTION, '').trim();
  const path = /\s/.test(store)
    ? `"-Djavax.net.ssl.trustStore=${store}"`
    : `-Djavax.net.ssl.trustStore=${store}`;
  const options = [kept, path, `-Djavax.net.ssl.trustStorePassword=${PASSWORD}`].filter(Boolean).join(' ');
  const jdk = findJdk(variables);
  const flaw = jdk ? await merge(jdk, caFile, store) : 'no JDK was found here';
  return {
    options,
    hints: [...(flaw === undefined ? mergedHint(jdk!.cacerts) : manualHint(flaw, caFile, store)), PORT_HINT],
  };
}

interface Jdk {
  keytool: string;
  cacerts: string;
}

function findJdk(variables: Variables): Jdk | undefined {
  const folders = (variables['PATH'] ?? '').split(delimiter).filter(Boolean);
  const tools = folders.map((folder) => join(folder, 'keytool')).filter((file) => existsSync(file));
  const homes = [variables['JAVA_HOME'], ...tools.map((file) => dirname(dirname(realpathSync(file))))];
  for (const home of homes) {
    const keytool = join(home ?? '', 'bin', 'keytool');
    const folder = ['lib', join('jre', 'lib')].map((each) => join(home ?? '', each, 'security'));
    // The order in which Java looks for its store.
    const stores = folder.flatMap((each) => [join(each, 'jssecacerts'), join(each, 'cacerts')]);
    const cacerts = stores.find((file) => existsSync(file));
    if (home && cacerts && existsSync(keytool)) return { keytool, cacerts };
  }
  return undefined;
}

/** Returns an error text, or undefined. */
async function merge({ keytool, cacerts }: Jdk, caFile: string, store: string): Promise<string | undefined> {
  const folder = mkdtempSync(join(dirname(store), 'understudy-'));
  const copy = join(folder, 'store');
  try {
    copyFileSync(cacerts, copy);
    chmodSync(copy, 0o644);
    const whose = ['-alias', 'understudy', '-file', caFile, '-keystore', copy, '-storepass', PASSWORD];
    await promisify(execFile)(keytool, ['-importcert', '-noprompt', ...whose]);
    renameSync(copy, store);
    return undefined;
  } catch (thrown) {
    const { stdout, message } = thrown as Error & { stdout?: string };
    return `keytool could not add to ${cacerts} (${(stdout?.trim() || message).split('\n')[0]})`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const mergedHint = (cacerts: string) => [
  `# JAVA_TOOL_OPTIONS names a copy of ${cacerts} with Understudy's certificate added:`,
  '# Maven, Gradle and other Java programs in this shell still trust what they trusted before.',
];

const manualHint = (flaw: string, caFile: string, store: string) => [
  `# ${flaw}: on the machine with Java, make the key store that JAVA_TOOL_OPTIONS names, from a copy of the JDK's key store and this certificate.`,
  '# Without that file, Java programs in this shell trust no certificate:',
  `#   cp "$JAVA_HOME/lib/security/cacerts" ${store}`,
  `#   keytool -importcert -noprompt -alias understudy -file ${caFile} -keystore ${store} -storepass ${PASSWORD}`,
];
export interface EnvOptions {
  /** Undefined: only what all SDKs have in common. */
  sdk: Sdk | undefined;
  url: string;
  environment: string;
  format: (typeof ENV_FORMATS)[number];
  /** Where to write the certificate that clients must trust; undefined: a new file in `folder`. */
  caFile?: string;
  /** For files that have no path given. */
  folder: string;
  /** The token of the control API. */
  token: string | undefined;
  /** Variables of the shell; certificates that they already trust are kept. */
  variables: Variables;
}
