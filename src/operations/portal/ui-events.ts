import type { Rows } from '../../state/env.ts';
import { html, type Html } from '../../pages/html.ts';
import type { PortalSession } from './session.ts';

/** An event that the portal posts to the framing site with `postMessage` (Scalekit docs, UI events). */
export interface UiEvent {
  event_type: string;
  object: 'connection' | 'directory' | 'session';
  organization_id?: string;
  message: string;
  data: Record<string, unknown>;
}

export function connectionSwitched(connection: Rows['connections']): UiEvent {
  const { id, type, provider, enabled, organization_id = '' } = connection;
  return {
    event_type: `ORGANIZATION_SSO_${enabled ? 'ENABLED' : 'DISABLED'}`,
    object: 'connection',
    organization_id,
    message: `Single sign-on connection ${enabled ? 'enabled' : 'disabled'} successfully`,
    data: { connection_type: 'SSO', id, type, provider, enabled, organization_id },
  };
}

export function directorySwitched(directory: Rows['directories']): UiEvent {
  const { id, organization_id, directory_type, directory_provider, enabled } = directory;
  return {
    event_type: `ORGANIZATION_DIRECTORY_${enabled ? 'ENABLED' : 'DISABLED'}`,
    object: 'directory',
    organization_id,
    message: `${directory_type} provisioning ${enabled ? 'enabled' : 'disabled'} successfully`,
    data: {
      directory_type,
      id,
      provider: directory_provider ?? 'DIRECTORY_PROVIDER_UNSPECIFIED',
      enabled,
    },
  };
}

const ofSession =
  (event_type: string, message: string) =>
  ({ organization_id, expires_at }: PortalSession): UiEvent => ({
    event_type,
    object: 'session',
    organization_id,
    message,
    data: { expiry: expires_at },
  });

// Unverified (portal/messages-of-events): the exact sentences.
export const loadSuccess = ofSession('PORTAL_LOAD_SUCCESS', 'Admin portal loaded successfully');
export const sessionWarning = ofSession('PORTAL_SESSION_WARNING', 'Admin portal session expires soon');
export const sessionExpiry = ofSession('PORTAL_SESSION_EXPIRY', 'Admin portal session has expired');

export const loadFailure = (error_code: string): UiEvent => ({
  event_type: 'PORTAL_LOAD_FAILURE',
  object: 'session',
  message: 'Admin portal failed to load',
  data: { error_code },
});

/** Runs in the browser. It reads its data from the markup, so the script is the same on every page. */
const SCRIPT = `
const { events, later, remaining } = document.getElementById('signals').dataset;
const post = (event) => { if (parent !== window) parent.postMessage(event, '*'); };
const wait = (milliseconds, act) => setTimeout(act, Math.max(milliseconds, 1000));
JSON.parse(events).forEach(post);
if (remaining) {
  const warning = JSON.parse(later);
  if (warning) wait(remaining - 300000, () => post(warning));
  wait(Number(remaining) + 1000, () => location.replace(location.pathname.replace(/\\/portal\\b.*/, '/portal')));
}`;

interface Countdown {
  /** Milliseconds until the session ends and the browser goes to the page of that failure. */
  remaining: number;
  /** Posted five minutes before the end. */
  warning?: UiEvent | undefined;
}

/** The page's script and the markup that it reads. */
export function portalScript(
  events: readonly UiEvent[],
  countdown?: Countdown,
): { script: string; markup: Html } {
  const { remaining, warning } = countdown ?? {};
  const markup = html`<div
    id="signals"
    hidden
    data-events="${JSON.stringify(events)}"
    data-later="${JSON.stringify(warning ?? null)}"
    data-remaining="${remaining ?? ''}"
  ></div>`;
  return { script: SCRIPT, markup };
}
