import type { Env, Rows } from '../../state/env.ts';
import { alreadyExists, notFound } from '../../contract/errors.ts';
import type { Operations } from '../handler.ts';
import { startAddress } from '../connections/sign-in-connection.ts';
import { passwordlessConfig, passwordlessConnection } from '../passwordless/passwordless.ts';
import { proveAddress } from './address-proof.ts';
import { discover, environmentConnections, isTaken, signUp } from './discovery.ts';
import { isMailed, mailAgain, requestOf, verifyCode } from './mailed-code.ts';
import { offeredPasskeys } from './passkey-offer.ts';
import { beginAgain, runningTransaction, type Transaction } from './transaction.ts';

type Connection = Rows['connections'];

export const authMethods = {
  AuthService_ListAuthMethods({ cookies }, env) {
    const transaction = runningTransaction(env, cookies);
    const providers = environmentConnections(env).map((each) => viewProvider(env, transaction, each));
    return {
      auth_methods: [...providers, ...(isMailed(env) ? [viewMailed(env)] : []), ...viewPasskeys(env)],
    };
  },

  AuthService_DiscoveryAuthMethod({ cookies, body: { email, intent } }, env) {
    const address = email.trim();
    const transaction = beginAgain(env, runningTransaction(env, cookies), intentOf(intent));
    if (transaction.intent === 'sign_up') {
      if (isTaken(env, address)) throw alreadyExists(`${address} has an account: sign in with it`);
      signUp(env, transaction, { email: address });
      return { auth_method: viewMailed(env) };
    }
    const found = discover(env, transaction, address);
    if (!found) throw notFound('user', address);
    return {
      auth_method:
        'connection' in found ? viewProvider(env, found.transaction, found.connection) : viewMailed(env),
    };
  },

  AuthService_VerifyPasswordLessOtp({ cookies, body }, env) {
    const transaction = runningTransaction(env, cookies);
    const request = requestOf(env, transaction);
    verifyCode(env, transaction, body.code_challenge);
    proveAddress(env, transaction, { email: request.email, verified_with: 'code' });
    return {};
  },

  AuthService_ResendPasswordless({ cookies }, env) {
    mailAgain(env, runningTransaction(env, cookies));
    return {};
  },
} satisfies Partial<Operations>;

const intentOf = (intent: string | undefined): Transaction['intent'] =>
  intent === 'sign_up' ? 'sign_up' : 'sign_in';

const viewProvider = (env: Env, transaction: Transaction, connection: Connection) => ({
  connection_id: connection.id,
  connection_type: connection.type,
  provider: connection.provider,
  auth_initiation_uri: startAddress(env, transaction, connection),
});

/** The way of a typed address. Without `passwordless_type`, nothing is mailed. */
function viewMailed(env: Env) {
  const connection = passwordlessConnection(env);
  const { type, codeLength } = passwordlessConfig(env);
  return {
    ...(connection && { connection_id: connection.id }),
    connection_type: 'PASSWORDLESS' as const,
    provider: connection?.provider ?? '',
    ...(isMailed(env) && {
      passwordless_type: type,
      ...(type !== 'LINK' && { code_challenge_length: codeLength }),
    }),
  };
}

/** Unverified (passkeys/auth-method): passkeys are a way of their own, and these three settings stand there alone. */
function viewPasskeys(env: Env) {
  const offered = offeredPasskeys(env);
  if (!offered) return [];
  const { connection, enable_auto_registration, show_passkey_button, enable_conditional_login } = offered;
  return [
    {
      connection_id: connection.id,
      connection_type: connection.type,
      provider: connection.provider,
      enable_webauthn_auto_registration: enable_auto_registration,
      show_passkey_button,
      enable_webauthn_conditional_login: enable_conditional_login,
    },
  ];
}
