import { effect } from '@preact/signals';
import { render, type ComponentType } from 'preact';
import { followKeys } from './everywhere/keys.ts';
import { Frame } from './frame.tsx';
import { followMails } from './mail/notices.tsx';
import type { PageName } from './navigation.ts';
import { href, route } from './route.ts';
import { ClockPage } from './pages/clock.tsx';
import { ConnectedAccountsPage } from './pages/connected-accounts.tsx';
import { EnvironmentsPage } from './pages/environments.tsx';
import { IdentityProvidersPage } from './pages/identity-providers.tsx';
import { InterceptorsPage } from './pages/interceptors.tsx';
import { MailPage } from './pages/mail.tsx';
import { RequestPage } from './pages/request.tsx';
import { RequestsPage } from './pages/requests.tsx';
import { ScenariosPage } from './pages/scenarios.tsx';
import { SignedInPage, InitiatedPage } from './pages/signed-in.tsx';
import { SignInsPage } from './pages/sign-ins.tsx';
import { StatePage } from './pages/state.tsx';
import { WebhooksPage } from './pages/webhooks.tsx';
import { CoveragePage } from './pages/coverage.tsx';
import { lazy } from './parts/parts.tsx';
import { followEnvironment } from './session.ts';

/** By the name in the address. */
const PAGES: Record<PageName, ComponentType> = {
  requests: RequestsPage,
  request: RequestPage,
  scenarios: ScenariosPage,
  clock: ClockPage,
  mail: MailPage,
  'sign-ins': SignInsPage,
  'signed-in': SignedInPage,
  initiated: InitiatedPage,
  'connected-accounts': ConnectedAccountsPage,
  'identity-providers': IdentityProvidersPage,
  interceptors: InterceptorsPage,
  state: StatePage,
  row: lazy(() => import('./pages/row.tsx').then(({ RowPage }) => RowPage)),
  compare: lazy(() => import('./pages/compare.tsx').then(({ ComparePage }) => ComparePage)),
  webhooks: WebhooksPage,
  environments: EnvironmentsPage,
  coverage: CoveragePage,
  reference: lazy(() => import('./pages/reference.tsx').then(({ ReferencePage }) => ReferencePage)),
  operation: lazy(() => import('./pages/operation.tsx').then(({ OperationPage }) => OperationPage)),
  schema: lazy(() => import('./pages/schema.tsx').then(({ SchemaPage }) => SchemaPage)),
};

const Unknown = () => (
  <>
    <h1>There is no such page</h1>
    <p>
      See the <a href={href('requests')}>calls of this environment</a>.
    </p>
  </>
);

function App() {
  const { page } = route.value;
  const Page = (PAGES as Record<string, ComponentType>)[page] ?? Unknown;
  return (
    <Frame>
      <Page key={page} />
    </Frame>
  );
}

effect(() => {
  const { page, environment } = route.value;
  document.title = `${page[0]?.toUpperCase()}${page.slice(1)} · ${environment} · Understudy`;
});
followEnvironment();
followMails();
followKeys();
render(<App />, document.getElementById('app')!);
