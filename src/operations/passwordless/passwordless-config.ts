import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { isActive } from '../identity-provider/social-connection.ts';

type Connection = Rows['connections'];

/** The kind of credential that is mailed, and its rules. */
export interface PasswordlessConfig {
  type: 'OTP' | 'LINK' | 'LINK_OTP';
  /** In seconds. */
  validity: number;
  /** Mails to one address per minute; 0 means no limit. */
  frequency: number;
  codeLength: number;
  codeType: 'NUMERIC' | 'ALPHANUMERIC';
  isForSameBrowser: boolean;
  isRenewedOnResend: boolean;
}

/** The environment's passwordless connection, preferably an enabled one. */
export function passwordlessConnection(env: Env): Connection | undefined {
  const all = env.connections.list('scope', 'login').filter(({ type }) => type === 'PASSWORDLESS');
  return all.find(isActive) ?? all[0];
}

/**
 * The settings of the environment's passwordless connection, enabled or not, with documented defaults
 * (Scalekit docs, Passwordless). Unverified: the simulator's own settings override them.
 */
export function passwordlessConfig(env: Env): PasswordlessConfig {
  const config = passwordlessConnection(env)?.passwordless_config ?? {};
  const settings = env.settings.get('settings');
  return {
    type: settings.passwordless_type ?? typeOf(config),
    validity: settings.passwordless_validity ?? (config.validity || 300),
    // Unverified: the docs give only the general limit and not what it counts by.
    frequency: settings.passwordless_mails_per_minute ?? config.frequency ?? 2,
    // Unverified: the length is capped at the longest code that can be verified.
    codeLength: Math.min(config.code_challenge_length || 6, 20),
    codeType: config.code_challenge_type === 'ALPHANUMERIC' ? 'ALPHANUMERIC' : 'NUMERIC',
    isForSameBrowser:
      settings.passwordless_same_browser_origin ?? config.enforce_same_browser_origin ?? false,
    isRenewedOnResend:
      settings.passwordless_regenerate_on_resend ??
      config.regenerate_passwordless_credentials_on_resend ??
      false,
  };
}

const typeOf = ({ type }: NonNullable<Connection['passwordless_config']>) =>
  type && type !== 'PasswordlessType_UNSPECIFIED' ? type : 'OTP';
