import { NAME_ID_FORMATS, type NameIdFormat } from './names.ts';
import { attributeOf, childOf, childrenOf, isNamed, parseXml, textOf } from './reading.ts';
import { SamlRefusal } from './refusal.ts';
import type { NameId } from './requests.ts';
import { nameIdOf, refuseOtherVersion } from './response-check.ts';
import { signedCopy, type Trust } from './verification.ts';

interface ReadMessage {
  id: string;
  issuer: string;
  destination: string | undefined;
}

export interface ReadAuthnRequest extends ReadMessage {
  /** Where the response shall go, if the request says so. */
  consumerUrl: string | undefined;
  nameIdFormat: NameIdFormat | undefined;
  /** The message has a signature, which may be wrong. */
  isSigned: boolean;
}

const refuse = (problem: string, expected: string, received: string) =>
  new SamlRefusal({ check: 'message', problem, expected, received, error: 'invalid_saml_request' });

type Name = 'AuthnRequest' | 'LogoutRequest' | 'LogoutResponse';

function rootOf(xml: string, name: Name): Element {
  const root = parseXml(xml);
  if (!isNamed(root, 'samlp', name)) throw refuse('this is another message', `samlp:${name}`, root.nodeName);
  refuseOtherVersion(root);
  return root;
}

function readHead(root: Element): ReadMessage {
  const issuer = childOf(root, 'saml', 'Issuer');
  const id = attributeOf(root, 'ID');
  if (!id) throw refuse(`${root.localName} has no ID`, 'an ID', '');
  if (!issuer) throw refuse(`${root.localName} has no Issuer`, 'an Issuer', '');
  return { id, issuer: textOf(issuer), destination: attributeOf(root, 'Destination') };
}

/** Reads the request of a service, without a check of its signature. */
export const readAuthnRequest = (xml: string): ReadAuthnRequest =>
  authnRequestIn(rootOf(xml, 'AuthnRequest'));

/** Reads the request of a service whose certificates are known. */
export const readSignedAuthnRequest = (xml: string, sender: Sender): ReadAuthnRequest =>
  authnRequestIn(trusted(xml, 'AuthnRequest', sender));

function authnRequestIn(root: Element): ReadAuthnRequest {
  const policy = childOf(root, 'samlp', 'NameIDPolicy');
  const wanted = policy && attributeOf(policy, 'Format');
  const known = Object.entries(NAME_ID_FORMATS).find(([, format]) => format === wanted)?.[0];
  return {
    ...readHead(root),
    consumerUrl: attributeOf(root, 'AssertionConsumerServiceURL'),
    nameIdFormat: known as NameIdFormat | undefined,
    isSigned: childOf(root, 'ds', 'Signature') !== undefined,
  };
}

export interface ReadLogoutRequest extends ReadMessage {
  nameId: NameId;
  /** Of the sessions that end; empty: all of the user. */
  sessionIndexes: string[];
  /** The message has a signature, which may be wrong. */
  isSigned: boolean;
}

/** Who may have sent a message. `isSigned`: the query that brought it has a good signature. */
export interface Sender extends Trust {
  isSigned: boolean;
}

/** The signed copy, or the message if its query was signed. Throws if neither is. */
function trusted(xml: string, name: Name, sender: Sender): Element {
  const root = rootOf(xml, name);
  if (sender.isSigned) return root;
  const copy = signedCopy(root, sender);
  if (copy) return copy.element;
  throw new SamlRefusal({
    check: 'signature',
    problem: `a signature is missing, or no certificate of ${sender.owner ?? 'the connection'} has made it`,
    expected: `a signed ${name}`,
    received: 'no good signature',
    error: 'signature_validation_failed',
  });
}

export function readLogoutRequest(xml: string, sender: Sender): ReadLogoutRequest {
  const root = trusted(xml, 'LogoutRequest', sender);
  return {
    ...readHead(root),
    nameId: nameIdOf(root),
    sessionIndexes: childrenOf(root, 'samlp', 'SessionIndex').map(textOf),
    isSigned: childOf(root, 'ds', 'Signature') !== undefined,
  };
}

export interface ReadLogoutResponse extends ReadMessage {
  inResponseTo: string | undefined;
  statusCode: string | undefined;
}

export function readLogoutResponse(xml: string, sender: Sender): ReadLogoutResponse {
  const root = trusted(xml, 'LogoutResponse', sender);
  const status = childOf(root, 'samlp', 'Status');
  const code = status && childOf(status, 'samlp', 'StatusCode');
  return {
    ...readHead(root),
    inResponseTo: attributeOf(root, 'InResponseTo'),
    statusCode: code && attributeOf(code, 'Value'),
  };
}

/** The request of a service to sign a user out, without a check of its signature. */
export function readForeignLogoutRequest(xml: string): ReadLogoutRequest {
  return readLogoutRequest(xml, { certificates: [], now: 0, isSigned: true });
}
