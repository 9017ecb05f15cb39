import { X509Certificate } from 'node:crypto';
import { pemOf } from './development-keys.ts';
import { BINDINGS, type Binding } from './names.ts';
import { attributeOf, childOf, childrenOf, isNamed, parseXml, textOf } from './reading.ts';
import { SamlRefusal } from './refusal.ts';

export interface ProviderDescription {
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
  const certificates = certificatesOf(role);
  if (certificates.length === 0)
    throw refuse('the metadata has no certificate', 'a KeyDescriptor for signing', '');
  return {
    entityId,
    signOn: servicesOf(role, 'SingleSignOnService'),
    logoutUrl: Object.values(servicesOf(role, 'SingleLogoutService'))[0],
    certificates,
  };
}

function servicesOf(role: Element, name: string): Partial<Record<Binding, string>> {
  const found = childrenOf(role, 'md', name).flatMap((service) => {
    const address = attributeOf(service, 'Location');
    const binding = Object.entries(BINDINGS).find(([, urn]) => urn === attributeOf(service, 'Binding'))?.[0];
    return address && binding ? [[binding, address] as const] : [];
  });
  return Object.fromEntries(found.toReversed());
}

function certificatesOf(role: Element): string[] {
  return childrenOf(role, 'md', 'KeyDescriptor')
    .filter((descriptor) => attributeOf(descriptor, 'use') !== 'encryption')
    .flatMap((descriptor) => childrenOf(descriptor, 'ds', 'KeyInfo'))
    .flatMap((info) => childrenOf(info, 'ds', 'X509Data'))
    .flatMap((data) => childrenOf(data, 'ds', 'X509Certificate'))
    .map((certificate) => readCertificate(textOf(certificate)));
}

function readCertificate(text: string): string {
  try {
    return new X509Certificate(pemOf(text)).toString();
  } catch {
    throw refuse(
      'a certificate of the metadata cannot be read',
      'an X.509 certificate in Base64',
      text.slice(0, 40),
    );
  }
}
