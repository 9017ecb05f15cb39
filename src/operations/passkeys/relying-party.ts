import { rowNamed } from '../../contract/cause.ts';
import { failedPrecondition } from '../../contract/errors.ts';
import type { Env, Rows } from '../../state/env.ts';
import { parseDuration } from '@understudy/text/duration';
import type { Operations } from '../handler.ts';

type Settings = NonNullable<Rows['connections']['webauthn_config']>;

/** Where passkeys belong, and what the environment's settings ask of them. */
export interface RelyingParty {
  /** The host that the passkeys belong to (WebAuthn 4, relying party identifier). */
  rpId: string;
  origins: readonly string[];
  userVerification: 'required' | 'preferred' | 'discouraged';
  settings: Settings;
  /** The environment's connection of the type WEBAUTHN, if it has one. */
  connection: Rows['connections'] | undefined;
}

export const relatedOrigins = {
  /** The origins of the settings (descriptors of the Python SDK). */
  WebAuthnService_GetRelatedOrigins(_, env) {
    return { origins: [...relyingParty(env).origins] };
  },
} satisfies Partial<Operations>;

/** Without settings, passkeys belong to the host of the hosted pages. */
export function relyingParty(env: Env): RelyingParty {
  const connection = env.connections.list('scope', 'login').find(({ type }) => type === 'WEBAUTHN');
  const settings = connection?.webauthn_config ?? {};
  const { hostname, origin } = new URL(env.baseUrl);
  const { ids = [hostname], origins = [origin] } = settings.rp ?? {};
  if (ids.length > 1) env.decidedBy('passkeys/several-host-ids');
  return {
    // Unverified (passkeys/several-host-ids): the docs do not say which of several ids counts.
    rpId: ids.find((id) => hostname === id || hostname.endsWith(`.${id}`)) ?? ids[0] ?? hostname,
    origins,
    userVerification: settings.authenticator_selection?.user_verification ?? 'preferred',
    settings,
    connection,
  };
}

/**
 * Unverified (passkeys/without-connection): passkeys work without a connection of the type WEBAUTHN, so that tests need
 * no settings. The service has them switched off at first.
 */
export function enabledRelyingParty(env: Env): RelyingParty {
  const party = relyingParty(env);
  if (!party.connection) env.decidedBy('passkeys/without-connection');
  if (party.connection?.enabled === false)
    throw failedPrecondition(`passkeys are switched off: enable the connection ${party.connection.id}`, {
      rows: [rowNamed('connections', party.connection)],
      needs: { enabled: true },
      leads: ['ConnectionService_EnableEnvironmentConnection'],
    });
  return party;
}

const DEFAULT_TIMEOUT = 300_000;

/** The time of a ceremony in milliseconds; another one counts where user verification is discouraged. */
export function timeoutOf(
  { settings: { timeout = {} }, userVerification }: RelyingParty,
  step: 'registration' | 'login',
): number {
  const written = userVerification === 'discouraged' ? timeout[`${step}_uvd`] : timeout[step];
  return (written && parseDuration(written)) || DEFAULT_TIMEOUT;
}
