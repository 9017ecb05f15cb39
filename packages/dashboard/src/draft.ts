import { signal } from '@preact/signals';
import type { JournalEntry } from '@understudy/client/control';

const EXAMPLE = `name: my-scenario
rules:
  - on: UserService_ListOrganizationUsers
    reply: { error: unavailable }
`;

/** The scenario that the reader is writing. It stays while other pages are shown. */
export const draft = signal(EXAMPLE);

/** A scenario with one rule that makes the next call like this one fail. */
export function draftFrom({ id, operation, method, path }: JournalEntry): void {
  write(`# The next ${operation ?? `${method} ${path}`} fails. Change the reply, or add a condition.
name: like-${id.replaceAll('_', '-')}
rules:
  - on: ${operation ?? `${method} ${path}`}
    times: 1
    reply: { error: unavailable }
`);
}

/** Whether the editor is open. */
export const isWriting = signal(false);

/** Opens the editor with this text. */
export function write(text: string): void {
  draft.value = text;
  isWriting.value = true;
}

/** The name of the scenario, as far as it is written. */
export const nameIn = (text: string): string | undefined =>
  /^\s*\{?\s*["']?name["']?\s*:\s*["']?([\w.-]+)/m.exec(text)?.[1];
