import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { readRegularFile } from '../../files.ts';

/** Where systems keep the certificates that programs trust. */
const SYSTEM_FILES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** As authorities of ours are named. */
const OWN = 'CN=Understudy local CA';

/**
 * The certificate, and all that programs trust without it: a variable that names this one alone would take the rest from
 * every program of a shell. `file` is what the shell names already.
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
    return undefined; // it is not there, or can't be read: programs of the shell can not either
  }
}

/** Authorities of ours that are gone by now are not carried along. */
function isForeign(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).subject !== OWN;
  } catch {
    return false; // no program could read it either
  }
}
