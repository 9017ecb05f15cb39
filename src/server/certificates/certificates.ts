import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { FileError, readRegularFile } from '@understudy/text/files';
import { makeFolder, makePrivate, PRIVATE_FILE } from '../../store/private-files.ts';
import type { Identity } from './issue.ts';

interface CertificateSettings {
  /** Where generated certificates are stored; undefined: they are lost when the process ends. */
  folder: string | undefined;
  /** Additional host names and addresses for the certificate. */
  hosts: readonly string[];
  /** The user's own PEM files. */
  own?: { certificate: string; key: string } | undefined;
}

/** The certificate files cannot be used. The message is for the person who named them. */
export class CertificateError extends Error {}

const OF_THIS_MACHINE = ['localhost', '*.localhost', '127.0.0.1', '::1'];
/** Clients reject a wildcard directly below a top-level name, so `*.localhost` does not cover this name. */
const OF_AN_ENVIRONMENT = /^[a-z0-9-]{1,40}\.localhost$/;
const MOST_ENVIRONMENTS = 1000;
const OF_NO_USE =
  'is damaged, has expired, or does not belong to its key: Understudy made a new authority, which clients must trust instead';

/** The certificates of the port. They are created for the first TLS caller and signed by a local authority that clients can trust. */
export class Certificates {
  readonly #settings: CertificateSettings;
  readonly #warn: (line: string) => void;
  readonly #own: Identity | undefined;
  readonly #ofEnvironments = new Map<string, Promise<Identity>>();
  #made: Promise<{ authority: Identity; server: Identity }> | undefined;

  /** Throws CertificateError if the user's own files are missing or are not a certificate and its key. */
  constructor(settings: CertificateSettings, warn: (line: string) => void) {
    this.#settings = settings;
    this.#warn = warn;
    const { own } = settings;
    this.#own = own && readPair(own);
  }

  async server(): Promise<Identity> {
    return this.#own ?? (await this.#make()).server;
  }

  /** The certificate for the name that a caller asks for. */
  async serverFor(name: string): Promise<Identity> {
    if (this.#own || !OF_AN_ENVIRONMENT.test(name)) return this.server();
    const { authority } = await this.#make();
    const { issueServer } = await import('./issue.ts');
    if (this.#ofEnvironments.size >= MOST_ENVIRONMENTS) this.#ofEnvironments.clear();
    const issued = this.#ofEnvironments.get(name) ?? issueServer(authority, [name]);
    this.#ofEnvironments.set(name, issued);
    return issued;
  }

  /** The certificate that clients must trust, as PEM: the local authority's, or the user's own certificate. */
  async authority(): Promise<string> {
    return this.#own?.certificate ?? (await this.#make()).authority.certificate;
  }

  #make() {
    return (this.#made ??= this.#load());
  }

  async #load() {
    const { issueAuthority, issueServer, isGood } = await import('./issue.ts');
    const hosts = [...new Set([...OF_THIS_MACHINE, ...this.#settings.hosts])];
    const kept = this.#read('ca');
    const isKept = kept !== undefined && isWhole(kept, kept) && isGood(kept, []);
    const authority = isKept ? kept : this.#keep('ca', await issueAuthority());
    if (kept && !isKept) this.#warn(`${this.#files('ca').certificate} ${OF_NO_USE}`);
    const known = this.#read('server');
    const isKnown = known !== undefined && isWhole(known, authority) && isGood(known, hosts);
    const server = isKnown ? known : this.#keep('server', await issueServer(authority, hosts));
    return { authority, server };
  }

  #read(name: string): Identity | undefined {
    const { certificate, key } = this.#files(name);
    if (!certificate || !existsSync(certificate) || !existsSync(key)) return undefined;
    makePrivate(key);
    return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  }

  #keep(name: string, identity: Identity): Identity {
    const { folder } = this.#settings;
    if (folder === undefined) return identity;
    const { certificate, key } = this.#files(name);
    try {
      makeFolder(folder);
      rmSync(key, { force: true }); // an existing file may be readable for others
      writeFileSync(key, identity.key, { mode: PRIVATE_FILE });
      writeFileSync(certificate, identity.certificate);
    } catch (thrown) {
      this.#warn(
        `${key} cannot be written, so that clients must trust a new certificate after a restart: ${(thrown as Error).message}`,
      );
    }
    return identity;
  }

  #files(name: string) {
    const { folder = '' } = this.#settings;
    return {
      certificate: folder && join(folder, `${name}.pem`),
      key: folder && join(folder, `${name}-key.pem`),
    };
  }
}

/** Checked at the start, because a key that does not fit would silently fail every handshake. */
function readPair(files: { certificate: string; key: string }): Identity {
  const pair = { certificate: readOwn(files.certificate), key: readOwn(files.key) };
  const certificate = parse(files.certificate, 'certificate', () => new X509Certificate(pair.certificate));
  const key = parse(files.key, 'private key without a passphrase', () => createPrivateKey(pair.key));
  if (!certificate.checkPrivateKey(key))
    throw new CertificateError(`${files.key} is not the key of ${files.certificate}`);
  return pair;
}

function parse<T>(file: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw new CertificateError(`${file} is not a PEM ${what}: ${(thrown as Error).message}`);
  }
}

function readOwn(file: string): string {
  try {
    return readRegularFile(file);
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    throw new CertificateError(`cannot read ${thrown.message}`);
  }
}

/** Whether certificate and key are readable, belong together and are signed by `authority`. Files can be damaged or mixed up. */
function isWhole({ certificate, key }: Identity, authority: Identity): boolean {
  try {
    const read = new X509Certificate(certificate);
    const isSigned = read.verify(new X509Certificate(authority.certificate).publicKey);
    return isSigned && read.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false; // not a certificate, or not a key
  }
}

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
