import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useCurrentInView } from './browser.ts';
import { useData } from './data.ts';
import { HeaderClock } from './everywhere/header-clock.tsx';
import { overlay } from './everywhere/keys.ts';
import { Unusual } from './everywhere/unusual.tsx';
import { ENTRIES, entryOf } from './navigation.ts';
import { environmentName, go, href, hrefIn, route, THEN, withQuery } from './route.ts';
import { bound } from './parts/fields.tsx';
import { Field, lazy } from './parts/parts.tsx';
import { failing } from './scenarios/failures.ts';
import { connection, control, environmentChanges, lock, SHOWN_AT_REST, token, unlock } from './session.ts';

const Palette = lazy(() => import('./everywhere/overlays.tsx').then((module) => module.Palette));
const Help = lazy(() => import('./everywhere/overlays.tsx').then((module) => module.Help));
const FailNext = lazy(() => import('./scenarios/fail-next.tsx').then((module) => module.FailNext));

/** The frame of every page: the environment, the state of the connection, and the navigation. */
export function Frame({ children }: { children: ComponentChildren }) {
  const main = useRef<HTMLElement>(null);
  const { page, id } = route.value;
  const pages = useCurrentInView(page);
  const isFirst = useRef(true);
  // Moves the focus to the new page, so that screen readers announce it and the keyboard continues there.
  useEffect(() => {
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [page, id]);
  const state = connection.value;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to the page
      </a>
      <header>
        <a class="brand" href={href('requests')}>
          Understudy
        </a>
        <Switcher />
        {state === 'live' && <HeaderClock />}
        <button type="button" class="quiet" onClick={() => (overlay.value = 'palette')}>
          Find… <kbd>Ctrl+K</kbd>
        </button>
        <span class={`connection ${state}`} role="status">
          {SAID[state]}
        </span>
        {token.value !== undefined && state !== 'locked' && (
          <button type="button" onClick={lock}>
            Sign out
          </button>
        )}
        {state === 'live' && <Unusual />}
      </header>
      <nav ref={pages} aria-label="Pages">
        {ENTRIES.map(([name, title]) => (
          <a key={name} href={href(name)} aria-current={entryOf(page) === name ? 'page' : undefined}>
            {title}
          </a>
        ))}
        <a href="docs/">Docs</a>
      </nav>
      <main ref={main} id="main" tabIndex={-1}>
        {state === 'locked' ? <Unlock /> : state === 'gone' ? <Gone /> : children}
      </main>
      {failing.value && <FailNext />}
      {overlay.value === 'palette' && <Palette />}
      {overlay.value === 'help' && <Help />}
    </>
  );
}

const SAID = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Understudy does not answer. Trying again…',
  locked: 'Locked',
  gone: 'No such environment',
};

/** Every page follows the environment that is chosen here. */
function Switcher() {
  const { value = [], reload } = useData(
    () => control().environments.list({ resting: SHOWN_AT_REST }),
    ['environment'],
    token.value,
    environmentChanges.value,
  );
  const names = value.map(({ name }) => name);
  const current = environmentName.value;
  const all = names.includes(current) ? names : [current, ...names];
  return (
    <label class="switcher">
      <span aria-hidden="true">Environment</span>
      <select
        aria-label="Environment"
        value={current}
        onFocus={reload}
        onChange={(event) => go(samePageIn(event.currentTarget.value))}
      >
        {all.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** The page that is shown, of another environment. Each has its own calls and snapshots: a call gives way to the list. */
function samePageIn(environment: string): string {
  const { page, id, item, query } = route.value;
  const { selected: _, ...others } = Object.fromEntries(
    [...query].filter(([, value]) => page !== 'compare' || !value.startsWith(THEN)),
  );
  const isOwn = page === 'request' || page === 'mail' || page === 'signed-in' || page === 'initiated';
  const steps = isOwn ? [entryOf(page)] : [page, id, item].filter((step) => step !== undefined);
  return withQuery(hrefIn(environment, ...steps), others);
}

const Gone = () => (
  <>
    <h1>There is no environment {environmentName.value}</h1>
    <p>
      It was dropped, or it never existed.{' '}
      <a href={hrefIn('default', 'environments')}>See the environments</a>.
    </p>
  </>
);

/** Asks for the control token of the server. It is kept in this tab only. */
function Unlock() {
  const typed = useSignal('');
  return (
    <form
      class="card narrow"
      onSubmit={(event) => {
        event.preventDefault();
        unlock(typed.value);
      }}
    >
      <h1>Control token</h1>
      <p>
        This server was started with UNDERSTUDY_CONTROL_TOKEN. The dashboard keeps the token in this browser
        tab only.
      </p>
      {token.value !== undefined && (
        <p class="alert bad" role="alert">
          The server does not accept this token. It is the value of UNDERSTUDY_CONTROL_TOKEN of the server.
        </p>
      )}
      <Field label="Token" type="password" {...bound(typed)} />
      <button class="main">Unlock</button>
    </form>
  );
}
