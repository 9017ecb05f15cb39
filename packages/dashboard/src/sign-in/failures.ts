import type { Row } from '@understudy/client/control';
import type { Wanted } from './authorize.ts';

interface SignInFailure {
  title: string;
  /** A scenario of the library, or a new one. */
  scenario?: string | { name: string; rules: object[] };
  params?: object;
  /** Changes what the sign-in asks for. */
  change?: (wanted: Wanted, users: readonly Row<'users'>[]) => Wanted;
}

/** Sends the browser back to the application with an error, as the service does when a sign-in fails. */
const comesBackWith = (error: string, description: string): SignInFailure => ({
  title: `The application gets ${error}`,
  scenario: oneTime(`sign-in-${error.replaceAll('_', '-')}`, {
    on: { method: 'GET', path: '/oauth/authorize' },
    reply: {
      status: 302,
      headers: {
        location: `\${query.redirect_uri}?${new URLSearchParams({ error, error_description: description }).toString()}&state=\${query.state}`,
      },
    },
  }),
});

const oneTime = (name: string, rule: object) => ({ name, rules: [{ times: 1, ...rule }] });

/** Prefers a user whose address has the same domain. */
function withAnotherUser(wanted: Wanted, users: readonly Row<'users'>[]): Wanted {
  const others = users.filter(({ email }) => email !== wanted.login_hint);
  const domain = wanted.login_hint.split('@')[1];
  const other = others.find(({ email }) => email.endsWith(`@${domain}`)) ?? others[0];
  if (!other) throw new Error('This environment has no other user who could sign in.');
  return { ...wanted, login_hint: other.email };
}

const NO_GRANT = { error: 'invalid_grant', error_description: 'invalid code' };

/** Each happens once, to the next sign-in. */
export const FAILURES: readonly SignInFailure[] = [
  comesBackWith('access_denied', 'the user denied access'),
  comesBackWith('server_error', 'the identity provider answered server_error'),
  comesBackWith('temporarily_unavailable', 'the identity provider does not answer'),
  comesBackWith('login_required', 'the user is not signed in'),
  {
    title: 'An interceptor denies the session',
    scenario: 'interceptor-denies',
    params: { trigger_point: 'PRE_SESSION_CREATION', times: 1 },
  },
  { title: 'Interceptors do not answer', scenario: 'interceptor-unreachable', params: { times: 1 } },
  {
    title: 'The sign-in page has expired',
    scenario: oneTime('sign-in-page-expired', {
      on: 'LoginPage_Show',
      reply: { error: 'gone', message: 'this sign-in has expired: start again' },
    }),
  },
  {
    title: 'The link in the mail has expired',
    scenario: oneTime('sign-in-link-expired', {
      on: 'LoginPage_OpenLink',
      do: {
        passwordless_requests: [
          {
            match: { link_token: '${query.link_token}', status: 'PENDING' },
            optional: true,
            set: { status: 'EXPIRED', expires_at: 'now-1m' },
          },
        ],
      },
      continue: true,
    }),
  },
  { title: 'Another user signs in', change: withAnotherUser },
  {
    title: 'The sign-in is unavailable',
    scenario: 'unavailable',
    params: { operation: 'OAuth_Authorize', times: 1 },
  },
  {
    title: 'The code is refused',
    scenario: oneTime('sign-in-code-refused', {
      on: 'OAuth_Token',
      when: { body: { grant_type: 'authorization_code' } },
      reply: { status: 400, body: NO_GRANT },
    }),
  },
  { title: 'The refresh token is refused', scenario: 'refresh-failure', params: { times: 1 } },
];
