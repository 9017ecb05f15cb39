import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { readRegularFile } from '../../files.ts';

/** Where operating systems store the certificates that programs trust. */
const SYSTEM_FILES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** The subject of Understudy's own authorities. */
const OWN = 'CN=Understudy local CA';

/**
 * The certificate together with all others that programs trust. A variable that names only our certificate would replace
 * the default list. `file` is the file that the variable names now.
 */
export function bundleOf(certificate: string, file: string | undefined): string {
  const others = readCertificates(file) ?? systemCertificates();
  return [certificate.trim(), ...others.filter(isForeign), ''].join('\n');
}

function systemCertificates(): readonly string[] {
  for (const file of SYSTEM_FILES) {
    const found = readCertificates(file);
    if (found) return found;
  }
  return rootCertificates;
}

function readCertificates(file: string | undefined): string[] | undefined {
  if (!file) return undefined;
  try {
    const found = readRegularFile(file).match(CERTIFICATE);
    return found ? [...found] : undefined;
  } catch {
    return undefined; // missing or unreadable, for the shell's programs as well
  }
}

/** False for Understudy's own authorities, which may be outdated. */
function isForeign(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).subject !== OWN;
  } catch {
    return false; // unreadable for any program
  }
}
