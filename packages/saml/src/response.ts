import type { KeyPair } from './development-keys.ts';
import { encrypted, type DrawBytes } from './encryption.ts';
import {
  ATTRIBUTE_FORMATS,
  BEARER,
  NAME_ID_FORMATS,
  PASSWORD_CONTEXT,
  statusName,
  type Hash,
  type NameIdFormat,
} from './names.ts';
import { signed } from './signature.ts';
import { element, samlTime, xmlText, type XmlElement } from './xml.ts';

export interface SignedInUser {
  nameId: string;
  nameIdFormat: NameIdFormat;
  attributes: Readonly<Record<string, readonly string[]>>;
}

interface FailedSignIn {
  /** An error of the service, which a tester has chosen. */
  error: string;
  description: string;
}

export interface SamlResponse {
  /** Ids of the response and of its assertion. */
  ids: readonly [string, string];
  /** Milliseconds. */
  now: number;
  issuer: string;
  /** Where the response goes. */
  consumerUrl: string;
  /** The service that it is for. */
  audience: string;
  /** Absent: no request asked for it. */
  inResponseTo?: string | undefined;
  outcome: SignedInUser | FailedSignIn;
  /** Milliseconds for which the assertion is good. */
  lifetime: number;
  sign: 'none' | 'response' | 'assertion' | 'both';
  key: KeyPair;
  hash?: Hash;
  /** The certificate to encrypt the assertion for, as PEM. */
  encryptFor?: string | undefined;
  draw: DrawBytes;
}

/** The XML of what an identity provider answers (SAML core 3.3.3). */
export function responseText(told: SamlResponse): string {
  const { ids, now, issuer, consumerUrl, inResponseTo, outcome } = told;
  const failure = 'error' in outcome ? outcome : undefined;
  const whole = element(
    'samlp:Response',
    {
      ID: ids[0],
      Version: '2.0',
      IssueInstant: samlTime(now),
      Destination: consumerUrl,
      InResponseTo: inResponseTo,
    },
    element('saml:Issuer', {}, issuer),
    failure ? failedStatus(failure) : status('Success'),
    'error' in outcome ? undefined : assertionOf(told, outcome),
  );
  // A refusal has no assertion that could be signed.
  const signsWhole = told.sign === 'both' || told.sign === 'response' || (failure && told.sign !== 'none');
  return xmlText(signsWhole ? signed(whole, told.key, told.hash) : whole);
}

const status = (code: string) =>
  element('samlp:Status', {}, element('samlp:StatusCode', { Value: statusName(code) }));

/** The detail is ours: the page of the simulated provider lets the tester choose an error of the service. */
const failedStatus = ({ error, description }: FailedSignIn): XmlElement =>
  element(
    'samlp:Status',
    {},
    element(
      'samlp:StatusCode',
      { Value: statusName('Responder') },
      element('samlp:StatusCode', {
        Value: statusName(error === 'access_denied' ? 'RequestDenied' : 'AuthnFailed'),
      }),
    ),
    element('samlp:StatusMessage', {}, description),
    element('samlp:StatusDetail', {}, element('understudy:Error', {}, error)),
  );

function assertionOf(told: SamlResponse, user: SignedInUser): XmlElement {
  const { ids, now, issuer, audience, lifetime, sign, key, hash, encryptFor, draw } = told;
  const whole = element(
    'saml:Assertion',
    { ID: ids[1], Version: '2.0', IssueInstant: samlTime(now) },
    element('saml:Issuer', {}, issuer),
    subjectOf(told, user),
    element(
      'saml:Conditions',
      { NotBefore: samlTime(now), NotOnOrAfter: samlTime(now + lifetime) },
      element('saml:AudienceRestriction', {}, element('saml:Audience', {}, audience)),
    ),
    element(
      'saml:AuthnStatement',
      { AuthnInstant: samlTime(now), SessionIndex: ids[1] },
      element('saml:AuthnContext', {}, element('saml:AuthnContextClassRef', {}, PASSWORD_CONTEXT)),
    ),
    attributesOf(user),
  );
  const finished = sign === 'both' || sign === 'assertion' ? signed(whole, key, hash) : whole;
  return encryptFor ? encrypted(finished, { certificate: encryptFor, draw }) : finished;
}

const subjectOf = (
  { consumerUrl, inResponseTo, now, lifetime }: SamlResponse,
  { nameId, nameIdFormat }: SignedInUser,
): XmlElement =>
  element(
    'saml:Subject',
    {},
    element('saml:NameID', { Format: NAME_ID_FORMATS[nameIdFormat] }, nameId),
    element(
      'saml:SubjectConfirmation',
      { Method: BEARER },
      element('saml:SubjectConfirmationData', {
        InResponseTo: inResponseTo,
        NotOnOrAfter: samlTime(now + lifetime),
        Recipient: consumerUrl,
      }),
    ),
  );

function attributesOf({ attributes }: SignedInUser): XmlElement | undefined {
  const given = Object.entries(attributes).filter(([, values]) => values.length > 0);
  if (given.length === 0) return undefined;
  return element(
    'saml:AttributeStatement',
    {},
    ...given.map(([Name, values]) =>
      element(
        'saml:Attribute',
        { Name, NameFormat: Name.includes('://') ? ATTRIBUTE_FORMATS.uri : ATTRIBUTE_FORMATS.basic },
        ...values.map((value) => element('saml:AttributeValue', {}, value)),
      ),
    ),
  );
}
