import { signal } from '@preact/signals';
import type { JournalEntry } from '../client/control.ts';

const EXAMPLE = `name: my-scenario
rules:
  - on: UserService_ListOrganizationUsers
    reply: { error: unavailable }
`;

/** The scenario that the reader is writing. It stays while other pages are shown. */
export const draft = signal(EXAMPLE);

/** A scenario with one rule that makes the next call like this one fail. */
export function draftFrom({ id, operation, method, path }: JournalEntry): void {
  draft.value = `# The next ${operation ?? `${method} ${path}`} fails. Change the reply, or add a condition.
name: like-${id.replaceAll('_', '-')}
rules:
  - on: ${operation ?? `${method} ${path}`}
    times: 1
    reply: { error: unavailable }
`;
}
