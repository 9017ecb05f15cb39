import { BINDINGS, NAME_ID_FORMATS, NAMESPACES, type NameIdFormat } from './names.ts';
import { keyInfo } from './signature.ts';
import { element, samlTime, xmlText, type XmlElement } from './xml.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
/** Of metadata (the library that the service seems to use gives it two days). */
const LIFETIME = 48 * 3_600_000;

interface ServiceProvider {
  entityId: string;
  consumerUrl: string;
  /** Absent: nobody can be signed out here. */
  logoutUrl?: string | undefined;
  /** Where answers to a sign-out of the service go. */
  logoutAnswerUrl?: string | undefined;
  /** PEM: checks signed requests, and encrypts assertions. */
  certificate: string;
  signsRequests: boolean;
  /** Whether a signed assertion is enough, or needed. */
  wantsAssertionsSigned: boolean;
  nameIdFormat: NameIdFormat;
  now: number;
}

/** What an identity provider has to know about the service (SAML metadata 2.4.4). */
export function serviceMetadata(service: ServiceProvider): string {
  const { entityId, consumerUrl, logoutUrl, logoutAnswerUrl, certificate, nameIdFormat, now } = service;
  // The service signs what it sends to a logout address, whatever it does with requests to sign in.
  const signs = service.signsRequests || logoutUrl !== undefined;
  const role = element(
    'md:SPSSODescriptor',
    {
      AuthnRequestsSigned: String(service.signsRequests),
      WantAssertionsSigned: String(service.wantsAssertionsSigned),
      protocolSupportEnumeration: NAMESPACES.samlp,
    },
    signs && keyDescriptor('signing', certificate),
    keyDescriptor('encryption', certificate),
    ...logoutServices(logoutUrl, logoutAnswerUrl),
    element('md:NameIDFormat', {}, NAME_ID_FORMATS[nameIdFormat]),
    element('md:AssertionConsumerService', {
      Binding: BINDINGS.HTTP_POST,
      Location: consumerUrl,
      index: '1',
      isDefault: 'true',
    }),
  );
  return document(entityId, now, role);
}

interface IdentityProvider {
  entityId: string;
  signOnUrl: string;
  /** Absent: nobody can be signed out here. */
  logoutUrl?: string | undefined;
  /** PEM, the one in use first. */
  certificates: readonly string[];
  now: number;
}

/** What a service has to know about the simulated identity provider (SAML metadata 2.4.3). */
export function providerMetadata({
  entityId,
  signOnUrl,
  logoutUrl,
  certificates,
  now,
}: IdentityProvider): string {
  const role = element(
    'md:IDPSSODescriptor',
    { WantAuthnRequestsSigned: 'false', protocolSupportEnumeration: NAMESPACES.samlp },
    ...certificates.map((certificate) => keyDescriptor('signing', certificate)),
    ...logoutServices(logoutUrl),
    ...Object.values(NAME_ID_FORMATS).map((format) => element('md:NameIDFormat', {}, format)),
    ...BOTH.map((binding) =>
      element('md:SingleSignOnService', { Binding: BINDINGS[binding], Location: signOnUrl }),
    ),
  );
  return document(entityId, now, role);
}

const BOTH = ['HTTP_REDIRECT', 'HTTP_POST'] as const;

const logoutServices = (address: string | undefined, ResponseLocation?: string): XmlElement[] =>
  address === undefined
    ? []
    : BOTH.map((binding) =>
        element('md:SingleLogoutService', {
          Binding: BINDINGS[binding],
          Location: address,
          ResponseLocation,
        }),
      );

const document = (entityID: string, now: number, role: XmlElement): string =>
  DECLARATION +
  xmlText(element('md:EntityDescriptor', { entityID, validUntil: samlTime(now + LIFETIME) }, role));

const keyDescriptor = (use: 'signing' | 'encryption', certificate: string): XmlElement =>
  element(
    'md:KeyDescriptor',
    { use },
    keyInfo(certificate),
    use === 'encryption' &&
      element('md:EncryptionMethod', { Algorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm' }),
    use === 'encryption' && element('md:EncryptionMethod', { Algorithm: `${NAMESPACES.xenc}aes256-cbc` }),
    use === 'encryption' && element('md:EncryptionMethod', { Algorithm: `${NAMESPACES.xenc}rsa-oaep-mgf1p` }),
  );
