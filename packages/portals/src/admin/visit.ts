import type { Env, Rows } from '@understudy/core/state/env';
import { featureOf, SHARED_FEATURES } from '@understudy/core/state/tables/organizations';
import { notFound, type ApiError } from '@understudy/core/contract/errors';
import type { CustomReply } from '@understudy/core/operations/handler';
import {
  showPortalFailure,
  type PortalFailure,
  handlePortal,
  refusalContent,
  showPortalPage,
  type PortalPage,
  newPortalSession,
} from '../portal.ts';
import { readableTime } from '@understudy/core/pages/controls';
import { html, type Html } from '@understudy/core/pages/html';

type PortalSession = Rows['portal_sessions'];
type NoticeKey = NonNullable<PortalSession['notice']>;

/** The cookie that the portal reads. */
interface PortalCookies {
  understudy_portal?: string | undefined;
}

/** One request of an administrator, with the organization and the features that it may see. */
export interface Visit {
  env: Env;
  session: PortalSession;
  organization: Rows['organizations'];
  features: ReadonlySet<Feature>;
}

type Feature = PortalSession['features'][number];

const HOUR = 3_600_000;
const LIFETIME = 6 * HOUR;

/** Starts the session of an administrator who has opened a portal link. */
export function beginSession(
  env: Env,
  { organization_id, features }: Pick<PortalSession, 'organization_id' | 'features'>,
): PortalSession {
  return env.portal_sessions.insert({
    ...newPortalSession(env, 'psn'),
    organization_id,
    features,
    expires_at: env.clock.after(LIFETIME),
    notice: { told: 'opened' },
  });
}

/** The browser's portal session, ended or not. */
const findSession = (env: Env, { understudy_portal }: PortalCookies): PortalSession | undefined =>
  understudy_portal ? env.portal_sessions.findBy('token', understudy_portal) : undefined;

/** A page in the portal's frame. It shows once what the previous form did. */
export function portalPage(visit: Visit, page: PortalPage): CustomReply {
  const { env, organization, session } = visit;
  // A rejected form keeps the notice for the next page.
  const { status = 200 } = page;
  const { events, kind = 'good', text }: PortalNotice = status === 200 ? noticeOf(visit) : { events: [] };
  const heading = html`<strong>${organization.display_name}</strong>
    <span class="faint">Session ends ${readableTime(session.expires_at)}</span>`;
  return showPortalPage(env, page, {
    portal: 'Admin portal',
    heading,
    notice: text === undefined ? undefined : { kind, text },
    ...portalScript(status === 200 ? [...events, ...dueWarning(visit)] : [], countdown(visit)),
  });
}

const refusalPage = (visit: Visit, refusal: ApiError): CustomReply =>
  portalPage(visit, refusalContent(refusal, backLink));

export const backLink: Html = html`<p class="back"><a href="/portal">Back to the overview</a></p>`;

const WARNING = 5 * 60_000;

const remaining = ({ env, session }: Visit) => Date.parse(session.expires_at) - env.clock.ms;

/** Tells the script when to warn. */
const countdown = (visit: Visit) => ({
  remaining: remaining(visit),
  warning: remaining(visit) > WARNING ? sessionWarning(visit.session) : undefined,
});

/** Warns once if the page loads after the warning was due. */
function dueWarning(visit: Visit): UiEvent[] {
  const { env, session } = visit;
  if (remaining(visit) > WARNING || session.warned_at !== undefined) return [];
  env.portal_sessions.update(session.id, { warned_at: env.clock.iso() });
  return [sessionWarning(session)];
}

interface PortalNotice {
  text?: string;
  /** Absent: a success message. */
  kind?: 'good' | 'note';
  events: readonly UiEvent[];
}

const TEXTS: Record<Exclude<NoticeKey['told'], 'opened' | 'created'>, string> = {
  saved: 'The settings are saved.',
  tested: 'Nothing is missing: users can sign in with this connection once it is on.',
  enabled: 'It is switched on.',
  disabled: 'It is switched off.',
  synced: 'What the provider has now is here.',
  added: 'The domain is added. Publish its TXT record, then verify it.',
  verified: 'The domain is verified.',
  unverified: 'The TXT record was not found yet. DNS may take a while.',
  removed: 'The domain is removed.',
};

/** The result of the previous form; shown once. */
function noticeOf({ env, session }: Visit): PortalNotice {
  const { notice } = session;
  if (!notice) return { events: [] };
  env.portal_sessions.update(session.id, { notice: undefined });
  if (notice.told === 'opened') return { events: [loadSuccess(session)] };
  if (notice.told === 'created') return { text: createdText(env, notice), events: [] };
  const text = TEXTS[notice.told];
  if (notice.told === 'unverified') return { kind: 'note', text, events: [] };
  return { text, events: eventsOf(env, notice) };
}

const createdText = (env: Env, { about = '' }: NoticeKey): string =>
  env.directories.find(about)
    ? 'The directory is added. Make a secret, and give the secret and the endpoint to your identity provider.'
    : 'The connection is added. Now fill in its settings.';

function eventsOf(env: Env, { told, about = '' }: NoticeKey): UiEvent[] {
  if (told !== 'enabled' && told !== 'disabled') return [];
  const [connection, directory] = [env.connections.find(about), env.directories.find(about)];
  return [
    ...(connection ? [connectionSwitched(connection)] : []),
    ...(directory ? [directorySwitched(directory)] : []),
  ];
}

/** An event that the portal posts to the framing site with `postMessage` (Scalekit docs, UI events). */
interface UiEvent {
  event_type: string;
  object: 'connection' | 'directory' | 'session';
  organization_id?: string;
  message: string;
  data: Record<string, unknown>;
}

function connectionSwitched(connection: Rows['connections']): UiEvent {
  const { id, type, provider, enabled, organization_id = '' } = connection;
  return {
    event_type: `ORGANIZATION_SSO_${enabled ? 'ENABLED' : 'DISABLED'}`,
    object: 'connection',
    organization_id,
    message: `Single sign-on connection ${enabled ? 'enabled' : 'disabled'} successfully`,
    data: { connection_type: 'SSO', id, type, provider, enabled, organization_id },
  };
}

function directorySwitched(directory: Rows['directories']): UiEvent {
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
const loadSuccess = ofSession('PORTAL_LOAD_SUCCESS', 'Admin portal loaded successfully');
const sessionWarning = ofSession('PORTAL_SESSION_WARNING', 'Admin portal session expires soon');
const sessionExpiry = ofSession('PORTAL_SESSION_EXPIRY', 'Admin portal session has expired');

const loadFailure = (error_code: string): UiEvent => ({
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
function portalScript(events: readonly UiEvent[], countdown?: Countdown): { script: string; markup: Html } {
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

interface AdminPortalFailure extends PortalFailure {
  code: string;
}

/** Unverified (portal/codes-of-failures): the docs name only SESSION_EXPIRED. */
const FAILURES: Readonly<Record<'unknown' | 'used' | 'expired' | 'closed' | 'over', AdminPortalFailure>> = {
  unknown: {
    status: 404,
    title: 'Unknown link',
    text: 'It may have been copied in part. Ask the application that you came from for a new one.',
    code: 'LINK_NOT_FOUND',
  },
  used: {
    status: 410,
    title: 'This link was used already',
    text: 'A link opens the portal once. Ask the application that you came from for a new one.',
    code: 'SESSION_EXPIRED',
  },
  expired: {
    status: 410,
    title: 'This link has expired',
    text: 'A link is valid for one minute. Ask the application that you came from for a new one.',
    code: 'SESSION_EXPIRED',
  },
  /** Also shown at the start of a visit if the browser blocks cookies in frames. */
  closed: {
    status: 401,
    title: 'No session is open in this browser',
    text: 'Ask the application that you came from for a new link to the admin portal.',
    hint: 'In a frame, browsers keep the cookie of the portal only if the page around it is of the same site, or over TLS.',
    code: 'SESSION_EXPIRED',
  },
  over: {
    status: 401,
    title: 'Your session is over',
    text: 'Ask the application that you came from for a new link to the admin portal.',
    code: 'SESSION_EXPIRED',
  },
};

/** Explains why the portal does not open, and notifies the framing site. */
export function failurePage(env: Env, why: keyof typeof FAILURES, session?: PortalSession): CustomReply {
  const { code, ...failure } = FAILURES[why];
  const events = [...(session ? [sessionExpiry(session)] : []), loadFailure(code)];
  return showPortalFailure(env, failure, portalScript(events));
}

export const { withVisit, withSubmittedForm, redirectTo } = handlePortal<Visit, PortalCookies, NoticeKey>({
  path: '/portal',
  findSession,
  visitOf(env, session) {
    const organization = env.organizations.get(session.organization_id);
    return { env, session, organization, features: offeredFeatures(organization, session) };
  },
  failurePage,
  refusalPage,
  storeNotice: ({ env, session }, notice) => env.portal_sessions.update(session.id, { notice }),
});

/** Throws if the portal does not offer the feature. */
export function requireFeature({ features }: Visit, feature: Feature, noun: string, id: string): void {
  if (!features.has(feature)) throw notFound(noun, id);
}

/**
 * The features to set up: those of the link, or all that the organization has enabled.
 * Unverified (portal/offered-features): a feature of the link is offered unless the organization has disabled it.
 */
function offeredFeatures(
  organization: Rows['organizations'],
  { features }: Pick<PortalSession, 'features'>,
): Set<Feature> {
  const isOpen = (feature: Feature) => {
    const known = featureOf(organization, feature);
    return features.length === 0 ? known : features.includes(feature) && known !== false;
  };
  return new Set(SHARED_FEATURES.filter(isOpen));
}
