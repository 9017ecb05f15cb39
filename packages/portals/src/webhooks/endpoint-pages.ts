import { invalidArgument } from '@understudy/core/contract/errors';
import {
  addEndpoint,
  changeEndpoint,
  rotateSecret,
  type Endpoint,
  unexpiredSecrets,
} from '@understudy/core/webhooks/endpoints';
import {
  copyable,
  exactTime,
  form,
  switchBadge,
  switchForm,
  alert,
  checkbox,
  field,
  select,
} from '@understudy/core/pages/controls';
import { html, type Html } from '@understudy/core/pages/html';
import type { Operations, CustomReply } from '@understudy/core/operations/handler';
import { catchRefusal, problemOf, type FormProblem } from '../portal.ts';
import { redirectTo, withSubmittedForm, withVisit, type Visit, backLink, portalPage } from './visit.ts';
import { deliveryTable, endpointName } from './delivery-pages.ts';
import { EVENT_TYPES } from '@understudy/core/webhooks/events/event';

export const endpointPages = {
  WebhookPortal_ShowNewEndpoint({ cookies }, env) {
    return withVisit(env, cookies, (visit) => newEndpointPage(visit));
  },

  WebhookPortal_AddEndpoint({ cookies, body = {} }, env) {
    return withSubmittedForm(env, cookies, body, (visit) =>
      catchRefusal(
        () => {
          const { kind = 'http' } = body;
          const { id } = addEndpoint(env, { kind, ...withoutUndefined(chosenSettings(body, kind)) });
          return redirectTo(visit, `/endpoints/${id}`, { told: 'added' });
        },
        (refusal) => newEndpointPage(visit, { problem: problemOf(refusal, LABELS), filled: body }),
      ),
    );
  },

  WebhookPortal_ShowEndpoint({ path, cookies }, env) {
    return withVisit(env, cookies, (visit) =>
      endpointPage(visit, env.webhook_endpoints.get(path.endpoint_id)),
    );
  },

  WebhookPortal_UpdateEndpoint({ path, cookies, body = {} }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const endpoint = env.webhook_endpoints.get(path.endpoint_id);
      return catchRefusal(
        () => {
          changeEndpoint(env, endpoint, chosenSettings(body, endpoint.kind));
          return redirectTo(visit, `/endpoints/${endpoint.id}`, { told: 'saved' });
        },
        (refusal) => endpointPage(visit, endpoint, { problem: problemOf(refusal, LABELS), filled: body }),
      );
    });
  },

  WebhookPortal_SwitchEndpoint({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const enabled = body?.enabled === 'true';
      const { id } = changeEndpoint(env, env.webhook_endpoints.get(path.endpoint_id), { enabled });
      return redirectTo(visit, `/endpoints/${id}`, { told: enabled ? 'enabled' : 'disabled' });
    });
  },

  WebhookPortal_RotateSecret({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const { id } = rotateSecret(env, env.webhook_endpoints.get(path.endpoint_id));
      return redirectTo(visit, `/endpoints/${id}`, { told: 'rotated' });
    });
  },

  WebhookPortal_RemoveEndpoint({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      env.remove('webhook_endpoints', env.webhook_endpoints.get(path.endpoint_id).id);
      return redirectTo(visit, '', { told: 'removed' });
    });
  },
} satisfies Partial<Operations>;

/** The endpoint's settings from the form; empty fields become undefined. */
function chosenSettings(form: EndpointForm, kind: 'http' | 'inbox') {
  const url = form.url?.trim() || undefined;
  if (kind === 'inbox' && url !== undefined)
    throw invalidArgument('url: an inbox has no address; leave this empty, or choose the other kind');
  if (kind === 'http' && url === undefined)
    throw invalidArgument('url: enter the address to which events are sent');
  return {
    ...(kind === 'http' && { url }),
    description: form.description?.trim() || undefined,
    event_types: chosenTypes(form.event_types),
  };
}

/** Drops undefined fields. */
const withoutUndefined = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

function newEndpointPage(
  visit: Visit,
  { problem, filled = {} }: Partial<RejectedEndpoint> = {},
): CustomReply {
  const { kind, ...fields } = filled;
  const content = html`${kindField(kind)} ${endpointFields(fields, problem)} <button>Add endpoint</button>`;
  const action = '/ui/webhooks/endpoints';
  const body = html`${backLink}
    <section class="card">
      <h1>Add an endpoint</h1>
      <p class="faint">The secret is created with the endpoint. An inbox needs no address.</p>
      ${form({ action, csrf_token: visit.session.csrf_token, content })}
    </section>`;
  return portalPage(visit, { title: 'Add an endpoint', body, status: problem ? 400 : 200 });
}

/** One endpoint: settings, secret and deliveries. */
function endpointPage(visit: Visit, endpoint: Endpoint, refused?: RejectedEndpoint): CustomReply {
  const name = endpointName(endpoint);
  const body = html`${backLink}
    <section class="card">
      <div class="bar">
        <h1>${name}</h1>
        ${switchBadge(endpoint)}
      </div>
      <p class="faint"><code>${endpoint.id}</code> ${endpoint.kind === 'inbox' && 'Inbox'}</p>
      <div class="actions">${switching(visit, endpoint)} ${removal(visit, endpoint)}</div>
    </section>
    ${secretSection(visit, endpoint)}
    <section class="card">
      <h2>Latest deliveries</h2>
      ${deliveryTable(visit.env, visit.env.webhook_deliveries.list('endpoint_id', endpoint.id), false)}
    </section>
    ${settingsSection(visit, endpoint, refused)}`;
  return portalPage(visit, { title: name, body, status: refused ? 400 : 200 });
}

const actionOf = ({ id }: Endpoint, verb: string) => `/ui/webhooks/endpoints/${id}${verb}`;

const switching = ({ session: { csrf_token } }: Visit, endpoint: Endpoint): Html =>
  switchForm({ action: actionOf(endpoint, '/switch'), csrf_token, enabled: endpoint.enabled, off: 'quiet' });

const removal = ({ session }: Visit, endpoint: Endpoint): Html =>
  form({
    action: actionOf(endpoint, '/remove'),
    csrf_token: session.csrf_token,
    content: html`<button class="bad">Remove</button>`,
    inline: true,
  });

function secretSection({ env, session }: Visit, endpoint: Endpoint): Html {
  const old = unexpiredSecrets(endpoint.old_secrets ?? [], env.clock.ms);
  const rotation = form({
    action: actionOf(endpoint, '/rotate'),
    csrf_token: session.csrf_token,
    content: html`<button class="quiet">Make a new secret</button>`,
    inline: true,
  });
  return html`<section class="card">
    <h2>Signing secret</h2>
    <p class="faint">This secret signs deliveries as Standard Webhooks define.</p>
    <details>
      <summary>Show the secret</summary>
      ${copyable({ name: 'signing_secret', label: 'Secret', value: endpoint.secret })}
      ${old.map(({ secret, expires_at }, index) =>
        copyable({
          name: 'old_signing_secret',
          id: `old-secret-${index}`,
          label: `Old secret, valid until ${exactTime(expires_at)}`,
          value: secret,
        }),
      )}
    </details>
    <div class="actions below">${rotation}</div>
  </section>`;
}

function settingsSection(
  { session }: Visit,
  endpoint: Endpoint,
  refused: RejectedEndpoint | undefined,
): Html {
  const { kind, url, description, event_types } = endpoint;
  const stored: EndpointForm = {
    kind,
    ...(url !== undefined && { url }),
    ...(description !== undefined && { description }),
    ...(event_types && { event_types }),
  };
  const filled = refused ? { ...refused.filled, kind } : stored;
  const content = html`${endpointFields(filled, refused?.problem)} <button>Save settings</button>`;
  return html`<section class="card">
    <h2>Settings</h2>
    ${form({ action: actionOf(endpoint, ''), csrf_token: session.csrf_token, content })}
  </section>`;
}

/** The form fields as a browser sends them. */
interface EndpointForm {
  kind?: 'http' | 'inbox';
  url?: string;
  description?: string;
  event_types?: string | readonly string[];
}

interface RejectedEndpoint {
  problem: FormProblem;
  filled: EndpointForm;
}

const LABELS = { url: 'Address', description: 'Description', event_types: 'Events' };

/** Address and events of an endpoint. Its kind can be chosen only when it is created. */
function endpointFields(filled: EndpointForm, { text, field: at }: Partial<FormProblem> = {}): Html {
  const { kind, url, description, event_types } = filled;
  return html`${text !== undefined && at !== 'url' && alert('bad', text)}
  ${
    kind !== 'inbox' &&
    field({
      name: 'url',
      label: LABELS.url,
      type: 'url',
      value: url,
      hint: 'Such as http://localhost:3000/webhooks.',
      ...(at === 'url' && text !== undefined && { problem: text }),
    })
  }
  ${field({ name: 'description', label: LABELS.description, value: description })}
  ${eventChoice(chosenTypes(event_types))}`;
}

const kindField = (kind: EndpointForm['kind']): Html =>
  select({
    name: 'kind',
    label: 'Kind',
    options: [
      ['http', 'An address to call'],
      ['inbox', 'An inbox: deliveries are stored instead of sent'],
    ],
    value: kind,
  });

/** Everything before the last dot. */
const prefixOf = (type: string) => type.slice(0, type.lastIndexOf('.'));

/** Event types by prefix, each group headed by the pattern that covers it. */
const GROUPS: readonly (readonly string[])[] = [...new Set(EVENT_TYPES.map(prefixOf))].map((prefix) => [
  `${prefix}.*`,
  ...EVENT_TYPES.filter((type) => prefixOf(type) === prefix),
]);

const OFFERED = new Set(GROUPS.flat());

function eventChoice(chosen: readonly string[] = []): Html {
  // Keeps patterns that the form does not offer, such as `organization.sso_*`.
  const others = chosen.filter((type) => !OFFERED.has(type));
  return html`<fieldset>
    <legend>Events</legend>
    <span class="hint">If you choose none, the endpoint receives all events.</span>
    ${GROUPS.map((group) => groupOf(group, chosen))}
    ${others.length > 0 && groupOf(['Others', ...others], chosen)}
  </fieldset>`;
}

function groupOf([title, ...types]: readonly string[], chosen: readonly string[]): Html {
  const all = title === 'Others' ? [] : [title!];
  const count = [...all, ...types].filter((type) => chosen.includes(type)).length;
  return html`<details class="choices" ${count > 0 && 'open'}>
    <summary>${title!} <span class="faint">${count > 0 && `${count} chosen`}</span></summary>
    ${all.map((pattern) => choice(pattern, `All of ${pattern}`, chosen))}
    ${types.map((type) => choice(type, type, chosen))}
  </details>`;
}

const choice = (value: string, label: string, chosen: readonly string[]): Html =>
  checkbox({ name: 'event_types', value, label, checked: chosen.includes(value) });

/** The chosen types without those that a chosen pattern covers; undefined means all. */
function chosenTypes(sent: string | readonly string[] = []): string[] | undefined {
  const types = [...new Set([sent].flat())].filter((type) => type !== '');
  const patterns = types.filter((type) => type.endsWith('.*')).map((pattern) => pattern.slice(0, -1));
  const needed = types.filter(
    (type) => !patterns.some((start) => type !== `${start}*` && type.startsWith(start)),
  );
  return needed.length > 0 ? needed : undefined;
}
