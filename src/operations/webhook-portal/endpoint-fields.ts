import { alert, checkbox, field, select } from '../../pages/controls.ts';
import { html, type Html } from '../../pages/html.ts';
import { EVENT_TYPES } from '../../webhooks/events/event.ts';
import type { FormProblem } from '../hosted/portal.ts';

/** The form fields as a browser sends them. */
export interface EndpointForm {
  kind?: 'http' | 'inbox';
  url?: string;
  description?: string;
  event_types?: string | readonly string[];
}

export interface RejectedEndpoint {
  problem: FormProblem;
  filled: EndpointForm;
}

export const LABELS = { url: 'Address', description: 'Description', event_types: 'Events' };

/** Address and events of an endpoint. Its kind can be chosen only when it is created. */
export function endpointFields(filled: EndpointForm, { text, field: at }: Partial<FormProblem> = {}): Html {
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

export const kindField = (kind: EndpointForm['kind']): Html =>
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
export function chosenTypes(sent: string | readonly string[] = []): string[] | undefined {
  const types = [...new Set([sent].flat())].filter((type) => type !== '');
  const patterns = types.filter((type) => type.endsWith('.*')).map((pattern) => pattern.slice(0, -1));
  const needed = types.filter(
    (type) => !patterns.some((start) => type !== `${start}*` && type.startsWith(start)),
  );
  return needed.length > 0 ? needed : undefined;
}
