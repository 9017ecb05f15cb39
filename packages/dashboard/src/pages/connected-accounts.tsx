import type { Row } from '@understudy/client/control';
import { useAction, useData, type Action } from '../data.ts';
import { distance, useNow } from '../now.ts';
import { openTab } from '../browser.ts';
import { Removal, Badge, Complaint, Do, Empty, Heading, Json } from '../parts/parts.tsx';
import { href } from '../route.ts';
import { callService, environment } from '../session.ts';
import { hasWords } from '@understudy/text/words';
import { Search } from '../parts/fields.tsx';
import { useQueryText } from '../parts/query-text.ts';

type Account = Row<'connected_accounts'>;
type Connection = Row<'connections'>;

interface Known {
  accounts: Account[];
  connections: Map<string, Connection>;
}

const MOST = 100;

async function load(): Promise<Known> {
  const { state } = environment.value;
  const [accounts, connections] = await Promise.all([
    state.list('connected_accounts'),
    state.list('connections'),
  ]);
  return { accounts, connections: new Map(connections.map((each) => [each.id, each])) };
}

/** The accounts of end users at third parties. */
export function ConnectedAccountsPage() {
  const { value, error } = useData(load, ['state', 'snapshot']);
  const now = useNow();
  const filter = useQueryText('account');
  const accounts = value ? value.accounts.filter((account) => fits(account, value, filter.value)) : [];
  return (
    <>
      <Heading title="Connected accounts" />
      <Complaint of={error} />
      <Search
        label="Filter by provider, identifier or status"
        placeholder="Provider, identifier, status…"
        text={filter}
        class="wide-filter"
      />
      {value && accounts.length === 0 && (
        <Empty>
          {value.accounts.length === 0
            ? 'No connected account yet. Create one with an SDK, and it appears here.'
            : 'No connected account has this text.'}
        </Empty>
      )}
      {value &&
        now !== undefined &&
        accounts
          .slice(0, MOST)
          .map((account) => <OneAccount key={account.id} account={account} known={value} now={now} />)}
      {accounts.length > MOST && <Empty>{MOST} are shown. Filter to find others.</Empty>}
    </>
  );
}

function fits({ id, identifier, status, connection_id }: Account, { connections }: Known, text: string) {
  const { provider_key, key_id } = connections.get(connection_id) ?? {};
  return hasWords([id, identifier, status, provider_key, key_id].join(' '), text);
}

const KINDS = {
  ACTIVE: 'good',
  EXPIRED: 'bad',
  DISCONNECTED: 'bad',
  PENDING_AUTH: 'note',
  PENDING_VERIFICATION: 'note',
} as const;

interface OneAccountProps {
  account: Account;
  known: Known;
  now: number;
}

function OneAccount({ account, known, now }: OneAccountProps) {
  const { id, identifier, status, connection_id, token_expires_at, last_used_at, refresh_fails } = account;
  const { organization_id, user_id } = account;
  const connection = known.connections.get(connection_id);
  const action = useAction();
  return (
    <article class="card" aria-label={`${identifier} at ${connection?.provider_key ?? connection_id}`}>
      <h2>
        <a href={href('row', 'connected_accounts', id)}>{identifier}</a>{' '}
        <Badge kind={KINDS[status]}>{status}</Badge>{' '}
        {refresh_fails && <Badge kind="bad">the next refresh fails</Badge>}
      </h2>
      <p class="faint">
        {connection?.provider_key ?? 'unknown provider'} · {connection?.key_id ?? connection_id} ·{' '}
        {account.authorization_type} · {expiryOf(token_expires_at, now)} ·{' '}
        {last_used_at === undefined ? 'never used' : `last used ${distance(last_used_at, now)}`} ·{' '}
        {[id, organization_id, user_id].filter(Boolean).join(' · ')}
      </p>
      <Complaint of={action.error.value} />
      <Actions account={account} connector={connection?.key_id} action={action} />
      {account.authorization_details && (
        <details>
          <summary>Credentials</summary>
          <Json label={`Credentials of ${id}`} value={account.authorization_details} />
        </details>
      )}
    </article>
  );
}

function expiryOf(at: string | undefined, now: number): string {
  if (at === undefined) return 'no expiry';
  return `access token ${Date.parse(at) > now ? 'expires' : 'expired'} ${distance(at, now)}`;
}

interface ActionsProps {
  account: Account;
  connector: string | undefined;
  action: Action;
}

/** What the end user, the third party and time do to an account. */
function Actions({ account, connector, action }: ActionsProps) {
  const { id, identifier, status, organization_id, user_id, authorization_details } = account;
  const { connectedAccounts, state } = environment.value;
  const change = (members: object) => () => state.patch('connected_accounts', id, members, { events: true });
  const open = async () => {
    const wanted = { connector, identifier, organization_id, user_id };
    const made = await callService<{ link: string }>('POST', '/api/v1/connected_accounts/magic_link', wanted);
    openTab(made.link);
  };
  return (
    <div class="actions">
      <Do
        action={action}
        label={`Authorize ${id}`}
        run={() => connectedAccounts.authorize(id, { userVerify: { confirm: true } })}
      >
        Authorize
      </Do>
      <Do action={action} label={`Open the link of ${id}`} run={open}>
        Open the link
      </Do>
      {status === 'ACTIVE' && (
        <Do action={action} label={`Expire now ${id}`} run={change({ token_expires_at: 'now-1s' })}>
          Expire now
        </Do>
      )}
      {status === 'ACTIVE' && authorization_details?.oauth_token?.refresh_token && (
        <Do
          action={action}
          label={`Break the refresh of ${id}`}
          run={change({ token_expires_at: 'now-1s', refresh_fails: true })}
        >
          Break the refresh
        </Do>
      )}
      {status !== 'DISCONNECTED' && (
        <Do
          action={action}
          kind="bad"
          label={`Revoke ${id}`}
          run={() => callService('POST', `/api/v1/connected_accounts/${id}:disconnect`, {})}
        >
          Revoke
        </Do>
      )}
      <Removal
        verb="Delete"
        name={id}
        question={`Delete the account ${identifier} with its credentials?`}
        run={() => callService('POST', '/api/v1/connected_accounts:delete', { id })}
      />
    </div>
  );
}
