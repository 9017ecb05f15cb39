import { X509Certificate } from 'node:crypto';
import { pemOf } from './development-keys.ts';
import { BINDINGS, type Binding } from './names.ts';
import { attributeOf, childOf, childrenOf, isNamed, parseXml, textOf } from './reading.ts';
import { SamlRefusal } from './refusal.ts';

interface ProviderDescription {
  entityId: string;
  /** Where a sign-in goes, by binding. */
  signOn: Partial<Record<Binding, string>>;
  logoutUrl: string | undefined;
  /** PEM. */
  certificates: string[];
}

const refuse = (problem: string, expected: string, received: string) =>
  new SamlRefusal({ check: 'message', problem, expected, received, error: 'invalid_saml_metadata' });

/** Reads the metadata of an identity provider (SAML metadata 2.4.3). Throws `SamlRefusal`. */
export function readProviderMetadata(xml: string): ProviderDescription {
  const root = parseXml(xml, { comments: true });
  const entity = isNamed(root, 'md', 'EntitiesDescriptor')
    ? childrenOf(root, 'md', 'EntityDescriptor').find((each) => childOf(each, 'md', 'IDPSSODescriptor'))
    : root;
  if (!entity || !isNamed(entity, 'md', 'EntityDescriptor'))
    throw refuse('this is no metadata', 'md:EntityDescriptor', root.nodeName);
  const entityId = attributeOf(entity, 'entityID');
  const role = childOf(entity, 'md', 'IDPSSODescriptor');
  if (!entityId) throw refuse('the metadata has no entityID', 'an entityID', '');
  if (!role) throw refuse('the metadata describes no identity provider', 'md:IDPSSODescriptor', '');
  const certificates = certificatesOf(role, 'signing');
  if (certificates.length === 0)
    throw refuse('the metadata has no certificate', 'a KeyDescriptor for signing', '');
  return {
    entityId,
    signOn: servicesOf(role, 'SingleSignOnService'),
    logoutUrl: Object.values(servicesOf(role, 'SingleLogoutService'))[0],
    certificates,
  };
}

export interface ServiceDescription {
  entityId: string;
  signsRequests: boolean;
  /** PEM. */
  signing: string[];
  /** PEM. */
  encryption: string[];
  /** Where the answer to a sign-out goes, by binding. */
  logout: Partial<Record<Binding, string>>;
}

/** Reads the metadata of a service provider (SAML metadata 2.4.4). Throws `SamlRefusal`. */
export function readServiceMetadata(xml: string): ServiceDescription {
  const root = parseXml(xml, { comments: true });
  const entityId = attributeOf(root, 'entityID');
  const role = childOf(root, 'md', 'SPSSODescriptor');
  if (!isNamed(root, 'md', 'EntityDescriptor') || !entityId || !role)
    throw refuse(
      'this is no metadata of a service provider',
      'md:EntityDescriptor with md:SPSSODescriptor',
      root.nodeName,
    );
  return {
    entityId,
    signsRequests: ['true', '1'].includes(attributeOf(role, 'AuthnRequestsSigned') ?? ''),
    signing: certificatesOf(role, 'signing'),
    encryption: certificatesOf(role, 'encryption'),
    logout: servicesOf(role, 'SingleLogoutService', 'ResponseLocation'),
  };
}

function servicesOf(role: Element, name: string, preferred = 'Location'): Partial<Record<Binding, string>> {
  const found = childrenOf(role, 'md', name).flatMap((service) => {
    const address = attributeOf(service, preferred) ?? attributeOf(service, 'Location');
    const binding = Object.entries(BINDINGS).find(([, urn]) => urn === attributeOf(service, 'Binding'))?.[0];
    return address && binding ? [[binding, address] as const] : [];
  });
  return Object.fromEntries(found.toReversed());
}

/** A descriptor that names no use is for both. */
function certificatesOf(role: Element, use: 'signing' | 'encryption'): string[] {
  return childrenOf(role, 'md', 'KeyDescriptor')
    .filter((descriptor) => (attributeOf(descriptor, 'use') ?? use) === use)
    .flatMap((descriptor) => childrenOf(descriptor, 'ds', 'KeyInfo'))
    .flatMap((info) => childrenOf(info, 'ds', 'X509Data'))
    .flatMap((data) => childrenOf(data, 'ds', 'X509Certificate'))
    .map((certificate) => readCertificate(textOf(certificate)));
}

/** A certificate in Base64 or PEM, as PEM. Throws `SamlRefusal`. */
export function readCertificate(text: string): string {
  const certificate = parsed(text);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
  const { modulusLength: bits = 0, namedCurve: curve = '' } = details ?? {};
  if (type === 'rsa' ? bits >= SMALLEST_KEY : type === 'ec' && CURVES.has(curve))
    return certificate.toString();
  throw refuse(
    'a certificate has a key that is not accepted',
    `RSA with ${SMALLEST_KEY} bits or more, or P-256, P-384 or P-521`,
    type === 'rsa' ? `RSA with ${bits} bits` : curve || String(type),
  );
}

const SMALLEST_KEY = 1024;
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** Whether something can be encrypted for the owner of the certificate. */
export const canEncrypt = (pem: string): boolean =>
  new X509Certificate(pem).publicKey.asymmetricKeyType === 'rsa';

function parsed(text: string): X509Certificate {
  try {
    return new X509Certificate(pemOf(text));
  } catch {
    throw refuse('a certificate cannot be read', 'an X.509 certificate in Base64', text.slice(0, 40));
  }
}
