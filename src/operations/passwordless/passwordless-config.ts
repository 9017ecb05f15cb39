import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { isActive } from '../identity-provider/social-connection.ts';

type Connection = Rows['connections'];

/** What people are mailed, and how they prove that they have it. */
export interface PasswordlessConfig {
  type: 'OTP' | 'LINK' | 'LINK_OTP';
  /** Seconds. */
  validity: number;
  /** Mails to one address a minute; 0 means no limit. */
  frequency: number;
  codeLength: number;
  codeType: 'NUMERIC' | 'ALPHANUMERIC';
  isForSameBrowser: boolean;
  isRenewedOnResend: boolean;
}

/** Of everybody; the one that is switched on, if there are several. */
export function passwordlessConnection(env: Env): Connection | undefined {
  const all = env.connections.list('scope', 'login').filter(({ type }) => type === 'PASSWORDLESS');
  return all.find(isActive) ?? all[0];
}

/**
 * As the environment's passwordless connection says, switched on or not; what it leaves open is as the service documents
 * it (reference: login-and-tokens 5.2). Unverified: the settings go before it, where they say anything: they are ours.
 */
export function passwordlessConfig(env: Env): PasswordlessConfig {
  const said = passwordlessConnection(env)?.passwordless_config ?? {};
  const settings = env.settings.get('settings');
  return {
    type: settings.passwordless_type ?? typeOf(said),
    validity: settings.passwordless_validity ?? (said.validity || 300),
    // Unverified: what the service counts by is not documented but for the limit that all have.
    frequency: settings.passwordless_mails_per_minute ?? said.frequency ?? 2,
    // Unverified: no longer than a code can be that is verified (5.1).
    codeLength: Math.min(said.code_challenge_length || 6, 20),
    codeType: said.code_challenge_type === 'ALPHANUMERIC' ? 'ALPHANUMERIC' : 'NUMERIC',
    isForSameBrowser: settings.passwordless_same_browser_origin ?? said.enforce_same_browser_origin ?? false,
    isRenewedOnResend:
      settings.passwordless_regenerate_on_resend ??
      said.regenerate_passwordless_credentials_on_resend ??
      false,
  };
}

const typeOf = ({ type }: NonNullable<Connection['passwordless_config']>) =>
  type && type !== 'PasswordlessType_UNSPECIFIED' ? type : 'OTP';
