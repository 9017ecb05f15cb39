import type { Row } from '@understudy/client/control';
import { useAction, useData, type Action } from '../data.ts';
import { distance } from '../now.ts';
import { href } from '../route.ts';
import { callService, environment } from '../session.ts';
import { hasWords } from '@understudy/text/words';
import { Badge, Complaint, Do, Empty, Time } from './parts.tsx';
import { Search } from './fields.tsx';
import { useQueryText } from './query-text.ts';

type Session = Row<'sessions'>;

const MOST = 100;

interface Known {
  sessions: Session[];
  users: Map<string, string>;
  organizations: Map<string, string>;
  clients: Map<string, string>;
  refreshTokens: Row<'refresh_tokens'>[];
}

async function load(): Promise<Known> {
  const { state } = environment.value;
  const [sessions, users, organizations, clients, refreshTokens] = await Promise.all([
    state.list('sessions'),
    state.list('users'),
    state.list('organizations'),
    state.list('clients'),
    state.list('refresh_tokens'),
  ]);
  return {
    sessions: sessions.toSorted((a, b) => b.created_at.localeCompare(a.created_at)),
    users: new Map(users.map(({ id, email }) => [id, email])),
    organizations: new Map(organizations.map(({ id, display_name }) => [id, display_name])),
    clients: new Map(clients.map(({ id, name }) => [id, name])),
    refreshTokens,
  };
}

/** Who is signed in, where, and for how long. */
export function Sessions({ now }: { now: number | undefined }) {
  const { value, error } = useData(load, ['state', 'clock', 'snapshot']);
  const action = useAction();
  const filter = useQueryText('session');
  const sessions = value ? value.sessions.filter((session) => fits(session, value, filter.value)) : [];
  return (
    <section class="card">
      <h2>Sessions</h2>
      <Complaint of={error ?? action.error.value} />
      {value && value.sessions.length > 0 && (
        <Search
          label="Filter by user, organization, client or status"
          placeholder="User, organization, client, status…"
          text={filter}
        />
      )}
      {value && sessions.length === 0 && (
        <Empty>
          {value.sessions.length === 0
            ? 'No session. Start a sign-in, and it appears here.'
            : 'No session has this text.'}
        </Empty>
      )}
      {value &&
        now !== undefined &&
        sessions
          .slice(0, MOST)
          .map((session) => (
            <OneSession key={session.id} session={session} known={value} now={now} action={action} />
          ))}
      {sessions.length > MOST && <Empty>The latest {MOST} are shown. Filter to find others.</Empty>}
    </section>
  );
}

function fits(session: Session, { users, organizations, clients }: Known, text: string): boolean {
  const { id, user_id, organization_id = '', client_ids, status } = session;
  const names = [
    users.get(user_id),
    organizations.get(organization_id),
    ...client_ids.map((each) => clients.get(each)),
  ];
  return hasWords([id, user_id, organization_id, status, ...names].join(' '), text);
}

/** An active session expires at the earlier of two times. The row says so only later. */
const expiryOf = ({ idle_expires_at: idle, absolute_expires_at: absolute }: Session) =>
  idle < absolute ? idle : absolute;

interface OneSessionProps {
  session: Session;
  known: Known;
  now: number;
  action: Action;
}

function OneSession({ session, known, now, action }: OneSessionProps) {
  const { id, user_id, organization_id, client_ids, created_at } = session;
  const end = expiryOf(session);
  const isActive = session.status === 'active' && Date.parse(end) > now;
  const status = session.status === 'active' && !isActive ? 'expired' : session.status;
  const name = known.users.get(user_id) ?? user_id;
  return (
    <article>
      <div class="bar">
        <h3>
          <a href={href('row', 'sessions', id)}>{name}</a>{' '}
          <Badge kind={isActive ? 'good' : ''}>{status}</Badge>
        </h3>
        {isActive && (
          <div class="actions">
            <Do
              action={action}
              label={`Revoke ${id}`}
              run={() => callService('POST', `/api/v1/sessions/${id}/revoke`)}
            >
              Revoke
            </Do>
            <Do
              action={action}
              kind="bad"
              label={`Revoke all of ${name}`}
              run={() => callService('POST', `/api/v1/users/${user_id}/sessions/revoke`)}
            >
              Revoke all
            </Do>
          </div>
        )}
      </div>
      <p class="faint">
        {organization_id === undefined
          ? 'no organization'
          : (known.organizations.get(organization_id) ?? organization_id)}{' '}
        · {client_ids.map((each) => known.clients.get(each) ?? each).join(', ') || 'no client'} · began{' '}
        <span title={created_at}>{distance(created_at, now)}</span>
        {session.status === 'active' && (
          <span title={end}>
            {' '}
            · {isActive ? 'expires' : 'expired'} {distance(end, now)}
          </span>
        )}
      </p>
      <IssuedTokens tokens={known.refreshTokens.filter(({ session_id }) => session_id === id)} now={now} />
    </article>
  );
}

interface IssuedTokensProps {
  tokens: readonly Row<'refresh_tokens'>[];
  now: number;
}

/** The rows have the times of tokens, not the tokens, which only the application gets. */
const IssuedTokens = ({ tokens, now }: IssuedTokensProps) =>
  tokens.length === 0 ? null : (
    <details>
      <summary>{tokens.length === 1 ? '1 refresh token' : `${tokens.length} refresh tokens`}</summary>
      <ul class="plain">
        {tokens.map(({ id, created_at, used_at, revoked_at, scopes, issued_token }) => (
          <li key={id}>
            <a href={href('row', 'refresh_tokens', id)}>{id}</a>{' '}
            <Badge kind={revoked_at ? 'bad' : used_at ? '' : 'good'}>
              {revoked_at ? 'revoked' : used_at ? 'used' : 'unused'}
            </Badge>{' '}
            <span class="faint">
              <Time at={created_at} /> · {scopes.join(' ')}
              {issued_token && (
                <>
                  {' '}
                  · access token {issued_token.id}{' '}
                  {Date.parse(issued_token.expires_at) > now ? 'expires' : 'expired'}{' '}
                  {distance(issued_token.expires_at, now)}
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
