import type { KeyObject } from 'node:crypto';
import { BEARER, statusName } from './names.ts';
import type { NameId } from './requests.ts';
import { decrypted } from './decryption.ts';
import { allElements, attributeOf, childOf, childrenOf, isNamed, parseXml, textOf } from './reading.ts';
import { SamlRefusal, type SamlCheck } from './refusal.ts';
import { signedCopy, type SignedCopy } from './verification.ts';

/** What must be signed. `either`: the response or the assertion. */
export type WantedSignature = 'none' | 'response' | 'assertion' | 'both' | 'either';

export interface ResponseRules {
  /** Milliseconds, by the clock of the environment. */
  now: number;
  /** Of the identity provider. Absent: any. */
  issuer?: string | undefined;
  /** Of the identity provider, as PEM. */
  certificates: readonly string[];
  wanted: WantedSignature;
  /** The address that the response came to. */
  consumerUrl: string;
  /** The entity id of the service. */
  audience: string;
  /** The request that it must answer. Absent: it must answer none. */
  requestId?: string | undefined;
  /** The key of the service. */
  decryptionKey: KeyObject;
  /** Whether an assertion in clear text is refused. */
  mustBeEncrypted: boolean;
}

/** What a good response says. */
export interface Assertion {
  id: string;
  issuer: string;
  nameId: NameId;
  sessionIndex?: string | undefined;
  attributes: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds: until then the assertion must not be taken again. Afterwards it is too old, whatever it says of itself. */
  goodUntil: number;
}

/**
 * Milliseconds by which the clocks of provider and service may differ. Unverified (saml/clock-skew): from the service's
 * library.
 */
const CLOCK_SKEW = 180_000;
/** How old a response may be. Unverified (saml/response-age): from the service's library. */
const MAX_AGE = 90_000;

const refuse = (
  check: SamlCheck,
  problem: string,
  expected: string,
  received: string | undefined,
  error = 'invalid_saml_response',
) => new SamlRefusal({ check, problem, expected, received: received ?? '', error });

/** Checks a response of an identity provider (SAML profiles 4.1.4.3). Throws `SamlRefusal`. */
export function checkResponse(xml: string, rules: ResponseRules): Assertion {
  const root = parseXml(xml);
  if (!isNamed(root, 'samlp', 'Response'))
    throw refuse(
      'message',
      'this is no response',
      'samlp:Response',
      root.nodeName,
      'malformed_saml_response',
    );
  refuseOtherVersion(root);
  refuseRepeatedIds(root);
  const outer = signedCopy(root, rules);
  const response = outer?.element ?? root;
  checkStatus(response, outer !== undefined);
  checkEnvelope(response, rules);
  const assertion = onlyAssertion(response, rules);
  checkSigned(outer, assertion.copy, rules.wanted);
  return readAssertion(assertion.element, rules);
}

/** SAML core 3.2.1 and 2.3.3: what has another version is not read. */
export function refuseOtherVersion(found: Element): void {
  const version = attributeOf(found, 'Version');
  if (version !== '2.0')
    throw refuse('message', `${found.localName} has another version of SAML`, 'Version 2.0', version);
}

function refuseRepeatedIds(root: Element): void {
  const seen = new Set<string>();
  for (const each of allElements(root)) {
    const id = each.getAttribute('ID');
    if (!id) continue;
    if (seen.has(id)) throw refuse('message', 'two elements have the same ID', 'an ID once', id);
    seen.add(id);
  }
}

function checkStatus(response: Element, isSigned: boolean): void {
  const status = childOf(response, 'samlp', 'Status');
  const code = status && childOf(status, 'samlp', 'StatusCode');
  const value = code && attributeOf(code, 'Value');
  if (value === statusName('Success')) return;
  const message = status && childOf(status, 'samlp', 'StatusMessage');
  const inner = code && childOf(code, 'samlp', 'StatusCode');
  const detail = status && childOf(status, 'samlp', 'StatusDetail');
  const chosen = isSigned && detail ? childOf(detail, 'understudy', 'Error') : undefined;
  const received = [value, inner && attributeOf(inner, 'Value')].filter((each) => each !== undefined);
  throw new ProviderRefused(
    {
      check: 'status',
      problem: 'the identity provider did not sign the user in',
      expected: statusName('Success'),
      received: received.join(' / '),
      error: (chosen && textOf(chosen)) || 'invalid_status',
    },
    message && textOf(message),
  );
}

/** The identity provider itself says why it did not sign the user in. */
export class ProviderRefused extends SamlRefusal {
  readonly said: string | undefined;

  constructor(refused: SamlRefusal['refused'], said: string | undefined) {
    super(refused);
    this.said = said;
  }
}

function checkEnvelope(response: Element, rules: ResponseRules): void {
  const { consumerUrl, now } = rules;
  const destination = attributeOf(response, 'Destination');
  if (destination !== undefined && destination !== consumerUrl)
    throw refuse(
      'destination',
      'the response is for another address',
      consumerUrl,
      destination,
      'invalid_acs_url',
    );
  const issuer = childOf(response, 'saml', 'Issuer');
  if (issuer) checkIssuer(textOf(issuer), rules);
  checkAge(response, now, 'response_expired');
  const answered = attributeOf(response, 'InResponseTo');
  if (answered !== undefined || rules.requestId !== undefined) checkRequest(answered, rules);
}

function checkIssuer(issuer: string, rules: ResponseRules): void {
  if (rules.issuer !== undefined && issuer !== rules.issuer)
    throw refuse('issuer', 'another identity provider has issued this', rules.issuer, issuer);
}

/** When it was issued. */
function checkAge(issued: Element, now: number, error: string): number {
  const at = timeOf(issued, 'IssueInstant');
  if (at === undefined) throw refuse('issue time', `${issued.localName} has no IssueInstant`, 'a time', '');
  if (at + MAX_AGE < now)
    throw refuse(
      'issue time',
      `the ${issued.localName?.toLowerCase()} is too old`,
      `issued at ${iso(now - MAX_AGE)} or later`,
      iso(at),
      error,
    ).decidedBy('saml/response-age');
  return at;
}

/** Without this, an assertion of the future could be used again for ever, or would have to be remembered for ever. */
function refuseFuture(issued: number, now: number): void {
  if (issued > now + CLOCK_SKEW)
    throw refuse(
      'issue time',
      'the assertion was issued in the future: the clock of the provider may be ahead',
      `issued at ${iso(now + CLOCK_SKEW)} or earlier`,
      iso(issued),
      'assertion_expired',
    );
}

function checkRequest(answered: string | undefined, { requestId }: ResponseRules): void {
  if (answered === requestId) return;
  throw requestId === undefined
    ? refuse('request', 'nobody has sent the request that is answered', 'no InResponseTo', answered)
    : refuse('request', 'this answers another request', `InResponseTo ${requestId}`, answered);
}

/** The only assertion of the document, wherever others may be hidden, decrypted, and its signed copy if it has one. */
function onlyAssertion(response: Element, rules: ResponseRules) {
  const everywhere = [...allElements(response)].filter(
    (each) => isNamed(each, 'saml', 'Assertion') || isNamed(each, 'saml', 'EncryptedAssertion'),
  );
  const [only] = [
    ...childrenOf(response, 'saml', 'Assertion'),
    ...childrenOf(response, 'saml', 'EncryptedAssertion'),
  ];
  if (everywhere.length !== 1 || !only)
    throw refuse('assertion', 'the response must hold one assertion', '1', String(everywhere.length));
  const isEncrypted = only.localName === 'EncryptedAssertion';
  if (!isEncrypted && rules.mustBeEncrypted)
    throw refuse('encryption', 'the assertion is not encrypted', 'EncryptedAssertion', 'Assertion');
  const clear = isEncrypted ? parseXml(decrypted(only, rules.decryptionKey)) : only;
  if (!isNamed(clear, 'saml', 'Assertion'))
    throw refuse('assertion', 'something else is encrypted', 'saml:Assertion', clear.nodeName);
  const copy = signedCopy(clear, rules);
  return { element: copy?.element ?? clear, copy };
}

/** Throws unless the wanted parts are signed. */
function checkSigned(
  outer: SignedCopy | undefined,
  inner: SignedCopy | undefined,
  wanted: WantedSignature,
): void {
  const found = outer && inner ? 'both' : outer ? 'response' : inner ? 'assertion' : 'none';
  const isEnough =
    wanted === 'none' || found === 'both' || found === wanted || (wanted === 'either' && found !== 'none');
  if (isEnough) return;
  const words = {
    none: 'no signature',
    response: 'a signed response',
    assertion: 'a signed assertion',
    both: 'a signed response with a signed assertion',
    either: 'a signed response or a signed assertion',
  };
  throw refuse(
    'signature',
    'a signature is missing',
    words[wanted],
    words[found],
    'signature_validation_failed',
  );
}

function readAssertion(assertion: Element, rules: ResponseRules): Assertion {
  const { now } = rules;
  const id = attributeOf(assertion, 'ID');
  refuseOtherVersion(assertion);
  if (id === undefined) throw refuse('assertion', 'the assertion has no ID', 'an ID', '');
  const issuer = childOf(assertion, 'saml', 'Issuer');
  if (!issuer) throw refuse('issuer', 'the assertion has no Issuer', rules.issuer ?? 'an Issuer', '');
  checkIssuer(textOf(issuer), rules);
  const issued = checkAge(assertion, now, 'assertion_expired');
  const subject = childOf(assertion, 'saml', 'Subject');
  if (!subject) throw refuse('subject', 'the assertion is about nobody', 'Subject', '');
  const until = checkConfirmation(subject, rules);
  checkConditions(assertion, rules);
  refuseFuture(issued, now);
  const statement = childrenOf(assertion, 'saml', 'AuthnStatement')[0];
  if (!statement)
    throw refuse('subject', 'the assertion does not say that the user has signed in', 'AuthnStatement', '');
  return {
    id,
    issuer: textOf(issuer),
    nameId: nameIdOf(subject),
    sessionIndex: attributeOf(statement, 'SessionIndex'),
    attributes: attributesOf(assertion),
    goodUntil: Math.min(until + CLOCK_SKEW, issued + MAX_AGE),
  };
}

/** The name of a subject, or of a request to sign out. */
export function nameIdOf(subject: Element): NameId {
  const nameId = childOf(subject, 'saml', 'NameID');
  const value = nameId && textOf(nameId);
  if (!value) throw refuse('subject', 'NameID is missing or empty', 'a NameID', '');
  return { value, format: attributeOf(nameId, 'Format') };
}

/** Until when the bearer of the assertion may use it. */
function checkConfirmation(subject: Element, rules: ResponseRules): number {
  const bearers = childrenOf(subject, 'saml', 'SubjectConfirmation').filter(
    (each) => attributeOf(each, 'Method') === BEARER,
  );
  const [data] = bearers.flatMap((each) => childOf(each, 'saml', 'SubjectConfirmationData') ?? []);
  if (!data || bearers.length > 1)
    throw refuse(
      'subject',
      'the assertion must have one SubjectConfirmation of a bearer',
      '1',
      String(bearers.length),
    );
  const recipient = attributeOf(data, 'Recipient');
  if (recipient !== rules.consumerUrl)
    throw refuse(
      'recipient',
      'the assertion is for another address',
      rules.consumerUrl,
      recipient,
      'invalid_acs_url',
    );
  checkRequest(attributeOf(data, 'InResponseTo'), rules);
  const until = timeOf(data, 'NotOnOrAfter');
  if (until === undefined) throw refuse('time', 'SubjectConfirmationData has no NotOnOrAfter', 'a time', '');
  checkTimes(data, rules.now);
  return until;
}

function checkConditions(assertion: Element, { now, audience }: ResponseRules): void {
  const conditions = childOf(assertion, 'saml', 'Conditions');
  if (!conditions) throw refuse('audience', 'the assertion has no Conditions', audience, '');
  checkTimes(conditions, now);
  const restrictions = childrenOf(conditions, 'saml', 'AudienceRestriction');
  const named = restrictions.map((each) => childrenOf(each, 'saml', 'Audience').map(textOf));
  if (named.length === 0 || !named.every((audiences) => audiences.includes(audience)))
    throw refuse('audience', 'the assertion is for another service', audience, named.flat().join(', '));
}

function checkTimes(bounded: Element, now: number): void {
  const from = timeOf(bounded, 'NotBefore');
  if (from !== undefined && from - CLOCK_SKEW > now)
    throw refuse(
      'time',
      `${bounded.localName} begin in the future: the clock of the provider may be ahead`,
      `NotBefore of ${iso(now + CLOCK_SKEW)} or earlier`,
      iso(from),
      'assertion_expired',
    );
  const until = timeOf(bounded, 'NotOnOrAfter');
  if (until !== undefined && until + CLOCK_SKEW <= now)
    throw refuse(
      'time',
      'the assertion is no longer good',
      `NotOnOrAfter after ${iso(now - CLOCK_SKEW)}`,
      iso(until),
      'assertion_expired',
    );
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const iso = (ms: number) => new Date(ms).toISOString();

function timeOf(found: Element, name: string): number | undefined {
  const text = attributeOf(found, name);
  if (text === undefined) return undefined;
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw refuse('time', `${name} is not a time in UTC`, '2026-01-31T09:00:00Z', text);
  return ms;
}

function attributesOf(assertion: Element): Record<string, string[]> {
  const found = childrenOf(assertion, 'saml', 'AttributeStatement').flatMap((statement) =>
    childrenOf(statement, 'saml', 'Attribute').map((attribute): [string, string[]] => [
      attributeOf(attribute, 'Name') ?? '',
      childrenOf(attribute, 'saml', 'AttributeValue').map((value) => (value.textContent ?? '').trim()),
    ]),
  );
  const merged = new Map<string, string[]>();
  for (const [name, values] of found) merged.set(name, [...(merged.get(name) ?? []), ...values]);
  return Object.fromEntries(merged);
}
