import { readFileSync, writeFileSync } from 'node:fs';
import { CertificateError } from '../certificates/certificates.ts';
import { bundleOf } from '../certificates/trust-bundle.ts';
import type { EnvOptions } from './env.ts';
import { javaTrust } from './java-trust.ts';

/** What to set so that programs of an SDK trust a certificate, and what to say of it. */
export interface Trust {
  variables: Record<string, string>;
  hints: string[];
}

/** Each of these variables takes the place of what is trusted without it. */
const REPLACING = {
  go: ['SSL_CERT_FILE'],
  python: ['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH', 'REQUESTS_CA_BUNDLE'],
};

export async function trust(options: EnvOptions, file: string): Promise<Trust> {
  const { sdk, variables } = options;
  if (sdk === 'node') return nodeTrust(options, file);
  if (sdk === 'java') {
    const { options: told, hints } = await javaTrust(file, variables);
    return { variables: { JAVA_TOOL_OPTIONS: told }, hints };
  }
  const names = REPLACING[sdk];
  const known = names.map((name) => variables[name]).find(Boolean);
  const bundle = writeBundle(file, known);
  return {
    variables: Object.fromEntries(names.map((name) => [name, bundle])),
    hints: [`# ${bundle} has Understudy's certificate and those that this machine trusts anyway.`],
  };
}

/** Node adds to what it trusts, but takes one file. */
function nodeTrust({ variables, format }: EnvOptions, file: string): Trust {
  const known = variables['NODE_EXTRA_CA_CERTS'];
  const late =
    '# Node reads NODE_EXTRA_CA_CERTS as it starts: export it, as --env-file and dotenv come too late.';
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
    throw new CertificateError(`can not write ${bundle}: ${(thrown as Error).message}`);
  }
}
