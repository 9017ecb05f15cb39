import { signal } from '@preact/signals';

const EXAMPLE = `name: my-scenario
rules:
  - on: UserService_ListOrganizationUsers
    reply: { error: unavailable }
`;

/** The scenario that the reader is writing. It stays while other pages are shown. */
export const draft = signal(EXAMPLE);

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
