import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction, useData } from '../data.ts';
import { useNow } from '../now.ts';
import { Complaint, Do, Empty, Heading } from '../parts/parts.tsx';
import { SignInForm } from '../parts/sign-in-form.tsx';
import { Token } from '../parts/token.tsx';
import { href, route } from '../route.ts';
import { environment } from '../session.ts';
import {
  find,
  exchangeCode,
  refreshTokens,
  storedTokens,
  type Begun,
  type Tokens,
  signInRows,
  decode,
} from '../sign-in/authorize.ts';
import { plainText } from '@understudy/text/json';

const Back = () => (
  <p class="back">
    <a href={href('sign-ins')}>Sign-ins</a>
  </p>
);

/** Where a sign-in of the dashboard ends: an error, or a code that is exchanged for tokens. */
export function SignedInPage() {
  const came = new URLSearchParams(route.value.id ?? '');
  const [error, code, state] = ['error', 'code', 'state'].map((name) => came.get(name) ?? undefined);
  const begun = find(state ?? '');
  return (
    <>
      <Back />
      <Heading title={error === undefined ? 'Signed in' : 'Not signed in'} />
      {error !== undefined && (
        <p class="alert bad" role="alert">
          {[error, came.get('error_description')].filter(Boolean).join(': ')}
        </p>
      )}
      {error === undefined && !begun && (
        <Empty>This browser did not start this sign-in, so it cannot exchange the code for tokens.</Empty>
      )}
      {code !== undefined && begun && <Exchange key={code} begun={begun} code={code} />}
    </>
  );
}

function Exchange({ begun, code }: { begun: Begun; code: string }) {
  const action = useAction();
  const now = useNow();
  const tokens = useSignal<Tokens | undefined>(storedTokens(begun.state));
  useEffect(() => {
    if (!tokens.value) void action.run(async () => (tokens.value = await exchangeCode(begun, code)));
  }, []);
  const { access_token, id_token, refresh_token } = tokens.value ?? {};
  const refresh = async () => (tokens.value = await refreshTokens(begun, tokens.value!));
  return (
    <>
      <p class="facts">
        The code <code>{code}</code> came to <code>{begun.redirect_uri}</code> for the client{' '}
        <code>{begun.client_id}</code>.
      </p>
      <Complaint of={action.error.value} />
      {id_token !== undefined && <WrongUser token={id_token} expected={begun.expected} />}
      {refresh_token !== undefined && (
        <div class="actions below">
          <Do action={action} run={refresh}>
            Refresh the tokens
          </Do>
        </div>
      )}
      {access_token !== undefined && <Token title="Access token" token={access_token} now={now} />}
      {id_token !== undefined && <Token title="ID token" token={id_token} now={now} nonce={begun.nonce} />}
      {refresh_token !== undefined && <Token title="Refresh token" token={refresh_token} now={now} />}
    </>
  );
}

/** Shown if another user signed in than the one who was asked for. */
function WrongUser({ token, expected }: { token: string; expected: string }) {
  const email = plainText(decode(token)?.claims['email']);
  if (expected === '' || email === '' || email === expected) return null;
  return (
    <p class="alert note" role="status">
      The sign-in was for {expected}, but {email} has signed in. An application must compare them itself.
    </p>
  );
}

/** Where an identity provider sends the browser: the application begins the sign-in with what the token says. */
export function InitiatedPage() {
  const came = new URLSearchParams(route.value.id ?? '');
  const token = came.get('idp_initiated_login') ?? '';
  const error = came.get('error');
  const { value: rows } = useData(signInRows, ['state']);
  const now = useNow();
  const claims = decode(token)?.claims ?? {};
  const given = Object.fromEntries(
    ['connection_id', 'login_hint'].map((name) => [name, plainText(claims[name])]),
  );
  return (
    <>
      <Back />
      <Heading title="Started at the identity provider" />
      {error !== null && (
        <p class="alert bad" role="alert">
          {[error, came.get('error_description')].filter(Boolean).join(': ')}
        </p>
      )}
      {token !== '' && rows && <SignInForm key={environment.value.name} rows={rows} given={given} />}
      {token !== '' && <Token title="What the identity provider sent" token={token} now={now} />}
    </>
  );
}
