import { sign, webcrypto, type KeyObject } from 'node:crypto';
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';
import { sha256 } from '@understudy/webauthn/authenticator-data';
import { readCborMap, writeCbor, type CborMap } from '@understudy/webauthn/cbor';
import type { RegistrationResponse } from '@understudy/webauthn/ceremony';

const KINDS = { CN: '2.5.4.3', C: '2.5.4.6', O: '2.5.4.10', OU: '2.5.4.11' };

const SUBJECT = { C: 'DE', O: 'Maker', OU: 'Authenticator Attestation', CN: 'Model 1' };

export interface CertificateOptions {
  subject?: Partial<Record<keyof typeof KINDS, string>>;
  isAuthority?: boolean;
  model?: Buffer;
  from?: string;
  to?: string;
  version?: number;
}

/** A certificate of an authenticator's maker, with its key. */
export async function makerCertificate(options: CertificateOptions = {}) {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  const { from = '2020-01-01', to = '2049-01-01' } = options;
  const certificate = new pki.Certificate({ version: options.version ?? 2 });
  certificate.serialNumber = new asn1.Integer({ value: 1 });
  for (const [kind, text] of Object.entries({ ...SUBJECT, ...options.subject }))
    certificate.subject.typesAndValues.push(
      new pki.AttributeTypeAndValue({
        type: KINDS[kind as keyof typeof KINDS],
        value: new asn1.Utf8String({ value: text }),
      }),
    );
  const { typesAndValues } = certificate.subject;
  certificate.subject.toSchema = () =>
    new asn1.Sequence({ value: typesAndValues.map((each) => new asn1.Set({ value: [each.toSchema()] })) });
  certificate.issuer = certificate.subject;
  certificate.notBefore.value = new Date(from);
  certificate.notAfter.value = new Date(to);
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey as never);
  certificate.extensions = extensionsOf(options);
  await certificate.sign(keys.privateKey as never, 'SHA-256');
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { der: Buffer.from(certificate.toSchema(true).toBER()), pkcs8 };
}

function extensionsOf({ isAuthority = false, model }: CertificateOptions): pki.Extension[] {
  const constraints = new pki.BasicConstraints({ cA: isAuthority }).toSchema().toBER();
  const basic = new pki.Extension({
    extnID: pki.id_BasicConstraints,
    critical: true,
    extnValue: constraints,
  });
  if (!model) return [basic];
  const extnValue = Uint8Array.from(model).buffer;
  return [basic, new pki.Extension({ extnID: '1.3.6.1.4.1.45724.1.1.4', critical: false, extnValue })];
}

/** The registration with its attestation object changed. */
export function reattested(
  response: RegistrationResponse,
  change: (object: CborMap) => CborMap | void,
): RegistrationResponse {
  const object = readCborMap(response.attestationObject, 'it');
  return { ...response, attestationObject: writeCbor(change(object) ?? object) };
}

/** The registration with a packed attestation that this key signs. */
export const packedBy = (
  response: RegistrationResponse,
  key: KeyObject,
  more: [string, CborMap | Buffer[] | number][] = [],
): RegistrationResponse =>
  reattested(response, (object) => {
    const authData = object.get('authData') as Buffer;
    const data = Buffer.concat([authData, sha256(response.clientData)]);
    const statement: CborMap = new Map<string, Buffer | number | CborMap | Buffer[]>([
      ['alg', -7],
      ['sig', sign('sha256', data, key)],
      ...more,
    ]);
    object.set('fmt', 'packed').set('attStmt', statement);
  });
