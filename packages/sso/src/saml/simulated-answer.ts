import { createHash } from 'node:crypto';
import type { Env, Rows } from '@understudy/core/state/env';
import type { NameIdFormat } from '@understudy/saml/names';
import { responseText, type SamlResponse, type SignedInUser } from '@understudy/saml/response';
import { parseSignedDuration } from '@understudy/text/duration';
import { initialMapping, withSettings } from '@understudy/core/operations/connections/settings';
import { pairsIn, type ProviderAnswer, type ProviderForm } from '../sign-in/answer-form.ts';
import { drawBytes } from '@understudy/core/operations/passkeys/ceremonies';
import {
  providerKey,
  simulatedProviderOf,
  wantedNameId,
} from '@understudy/core/operations/connections/saml-parties';
import { serviceProviderOf } from './service-providers.ts';

type Connection = Rows['connections'];

/** Who gets a response. */
export interface Receiver {
  consumerUrl: string;
  audience: string;
  inResponseTo?: string | undefined;
  /** The format of names that the request asked for. */
  nameIdFormat?: NameIdFormat | undefined;
  /** The service of Understudy, and not a service provider of the tester's. */
  isService: boolean;
}

const LIFETIME = 300_000;
/** An assertion that was over three minutes ago is over for every clock that is right. */
const OVER = -600_000;

/** What the simulated provider answers, with the faults that the connection's `saml_provider` asks for. */
export function simulatedAnswer(
  env: Env,
  connection: Connection,
  { receiver, answer, form }: { receiver: Receiver; answer: ProviderAnswer; form: ProviderForm },
): string {
  const faults = connection.saml_provider ?? {};
  const { saml_config = {} } = withSettings(env, connection);
  const wantsEncryption = receiver.isService && saml_config.assertion_encrypted;
  const isEncrypted = faults.encrypted ?? wantsEncryption ?? false;
  return responseText({
    ids: [drawId(env), drawId(env)],
    now: env.clock.ms + (parseSignedDuration(faults.clock_offset ?? '0s') ?? 0),
    issuer: faults.issuer ?? simulatedProviderOf(env, connection).entityId,
    consumerUrl: faults.recipient ?? receiver.consumerUrl,
    audience: faults.audience ?? receiver.audience,
    inResponseTo: receiver.inResponseTo,
    outcome: answer.identity ? userOf(env, connection, receiver, form) : failureOf(answer),
    lifetime: faults.expired ? OVER : LIFETIME,
    sign:
      faults.sign ??
      (receiver.isService ? SIGNED[saml_config.saml_signing_option ?? ''] : undefined) ??
      'both',
    key: providerKey(connection),
    ...(faults.hash && { hash: faults.hash }),
    encryptFor: isEncrypted ? encryptionCertificate(env, connection, receiver) : undefined,
    draw: (length) => drawBytes(env, length),
  });
}

function encryptionCertificate(env: Env, connection: Connection, { audience }: Receiver): string | undefined {
  const certificate = serviceProviderOf(env, connection, audience)?.encryption;
  if (!certificate)
    env.note(
      `the assertion is not encrypted, because saml_provider.service_providers has no RSA certificate of ${audience}`,
    );
  return certificate;
}

const drawId = (env: Env) => `_${drawBytes(env, 20).toString('hex')}`;

/** What the provider signs, by what the connection wants. */
const SIGNED: Readonly<Record<string, SamlResponse['sign'] | undefined>> = {
  SAML_ONLY_RESPONSE_SIGNING: 'response',
  SAML_ONLY_ASSERTION_SIGNING: 'assertion',
};

const failureOf = ({ error = 'server_error', error_description = '' }: ProviderAnswer) => ({
  error,
  description: error_description,
});

function userOf(env: Env, connection: Connection, receiver: Receiver, form: ProviderForm): SignedInUser {
  const { saml_provider = {}, saml_config } = connection;
  const email = form.email?.trim() ?? '';
  const nameIdFormat = saml_provider.name_id_format ?? receiver.nameIdFormat ?? wantedNameId(saml_config);
  return {
    nameIdFormat,
    nameId: nameIdIn(nameIdFormat, env, connection, email.toLowerCase()),
    attributes: attributesOf(connection, { ...form, email }),
  };
}

function nameIdIn(format: NameIdFormat, env: Env, { id }: Connection, email: string): string {
  if (format === 'TRANSIENT') return drawId(env);
  if (format === 'PERSISTENT')
    return createHash('sha256').update(`${id} ${email}`).digest('hex').slice(0, 40);
  return email;
}

/** Own names of attributes, with their names at the identity provider. */
export const mappingOf = (connection: Connection): Record<string, string> => ({
  ...initialMapping(connection),
  ...connection.attribute_mapping,
});

/** The attributes that the provider sends, under its names. */
function attributesOf(connection: Connection, form: ProviderForm): Record<string, string[]> {
  const mapping = mappingOf(connection);
  const omitted = new Set(
    connection.saml_provider?.omitted_attributes?.flatMap((name) => [name, mapping[name] ?? name]),
  );
  const { email = '', given_name = '', family_name = '' } = form;
  const names = Object.entries({
    email,
    given_name: given_name.trim(),
    family_name: family_name.trim(),
  }).flatMap(([own, value]) => (value ? [[mapping[own] ?? own, value] as const] : []));
  const further = pairsIn(form.attributes ?? '');
  const all = [...names, ...(typeof further === 'string' ? [] : further)];
  const sent = all.filter(([name]) => !omitted.has(name));
  return Object.fromEntries(
    sent.map(([name]) => [name, sent.filter(([each]) => each === name).map(([, value]) => value)]),
  );
}
