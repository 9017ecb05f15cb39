import { ApiError } from '../../contract/errors.ts';
import type { Env } from '../../state/env.ts';
import { sentence } from '../../pages/controls.ts';
import type { Operations } from '../handler.ts';
import { connectionForEmail, startAddress } from '../connections/sign-in-connection.ts';
import { finishAuthentication } from '../passkeys/authentication.ts';
import type { Input } from '../../contract/types.ts';
import { signInPage } from './login-page.ts';
import { nextStep, redirectTo } from './steps.ts';
import { beginAgain, submittedTransaction } from './transaction.ts';

export const passkeyPage = {
  LoginPage_SignInWithPasskey({ path, cookies, body }, env) {
    const begun = submittedTransaction(env, path.transaction_id, cookies, body);
    const proof = proofOf(env, body);
    if (proof instanceof ApiError) return signInPage(env, begun, { problem: sentence(proof.message) });
    const { user, isVerified } = proof;
    const transaction = beginAgain(env, begun, 'sign_in');
    // The domain decides also after a passkey (Scalekit docs, Authentication flow).
    const connection = connectionForEmail(env, user.email);
    if (connection) {
      const hinted = env.login_transactions.update(transaction.id, { login_hint: user.email });
      return redirectTo(env, hinted, startAddress(env, hinted, connection), 303);
    }
    const known = env.login_transactions.update(transaction.id, {
      user_id: user.id,
      verified_with: 'passkey',
      ...(isVerified && { second_factor: 'passkey' }),
    });
    return nextStep(env, known, cookies, 303);
  },
} satisfies Partial<Operations>;

type Form = Input<'LoginPage_SignInWithPasskey'>['body'];

/** Who signs in with the passkey, or why it was refused. */
function proofOf(env: Env, { session_id, credential_id, csrf_token: _, ...response }: Form) {
  try {
    return finishAuthentication(env, { session_id, credential_id, response });
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown;
    throw thrown;
  }
}
