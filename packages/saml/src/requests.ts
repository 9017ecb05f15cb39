import { BINDINGS, NAME_ID_FORMATS, statusName, type NameIdFormat } from './names.ts';
import { element, samlTime, type XmlElement } from './xml.ts';

interface Message {
  id: string;
  /** Milliseconds. */
  now: number;
  issuer: string;
  destination: string;
}

const head = ({ id, now, destination }: Message) => ({
  ID: id,
  Version: '2.0',
  IssueInstant: samlTime(now),
  Destination: destination,
});

interface AuthnRequest extends Message {
  consumerUrl: string;
  nameIdFormat: NameIdFormat;
  forceAuthn: boolean;
}

/** Asks an identity provider to sign a user in (SAML core 3.4.1). */
export const authnRequest = (asked: AuthnRequest): XmlElement =>
  element(
    'samlp:AuthnRequest',
    {
      ...head(asked),
      AssertionConsumerServiceURL: asked.consumerUrl,
      ProtocolBinding: BINDINGS.HTTP_POST,
      ...(asked.forceAuthn && { ForceAuthn: 'true' }),
    },
    element('saml:Issuer', {}, asked.issuer),
    element('samlp:NameIDPolicy', { AllowCreate: 'true', Format: NAME_ID_FORMATS[asked.nameIdFormat] }),
  );

export interface NameId {
  format?: string | undefined;
  value: string;
}

interface LogoutRequest extends Message {
  nameId: NameId;
  sessionIndex?: string | undefined;
}

/** Tells that a user has signed out (SAML core 3.7.1). */
export const logoutRequest = (asked: LogoutRequest): XmlElement =>
  element(
    'samlp:LogoutRequest',
    head(asked),
    element('saml:Issuer', {}, asked.issuer),
    element('saml:NameID', { Format: asked.nameId.format }, asked.nameId.value),
    asked.sessionIndex !== undefined && element('samlp:SessionIndex', {}, asked.sessionIndex),
  );

interface LogoutResponse extends Message {
  inResponseTo: string;
  /** The last part of its name, such as `Success`. */
  status: string;
}

export const logoutResponse = (told: LogoutResponse): XmlElement =>
  element(
    'samlp:LogoutResponse',
    { ...head(told), InResponseTo: told.inResponseTo },
    element('saml:Issuer', {}, told.issuer),
    element('samlp:Status', {}, element('samlp:StatusCode', { Value: statusName(told.status) })),
  );
