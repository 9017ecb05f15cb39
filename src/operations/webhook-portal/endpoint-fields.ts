import { field, select } from '../../pages/controls.ts';
import { html, type Html } from '../../pages/html.ts';
import { alert } from '../../pages/parts.ts';
import type { Problem } from '../problem.ts';
import { chosenTypes, eventChoice } from './event-choice.ts';

/** The members of the form, as a browser sends them. */
export interface EndpointForm {
  kind?: 'http' | 'inbox';
  url?: string;
  description?: string;
  event_types?: string | readonly string[];
}

export interface Refused {
  problem: Problem;
  filled: EndpointForm;
}

export const LABELS = { url: 'Address', description: 'Description', event_types: 'Events' };

/** Where to, and what. Whether it is an inbox can be chosen only once. */
export function endpointFields(filled: EndpointForm, { text, field: at }: Partial<Problem> = {}): Html {
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
      ['http', 'An address that is called'],
      ['inbox', 'An inbox: nobody is called, deliveries are kept to be looked at'],
    ],
    value: kind,
  });
