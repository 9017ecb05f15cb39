import { signal, type Signal } from '@preact/signals';
import { environmentName } from './route.ts';

const drafts = new Map<string, Signal<unknown>>();

/** What is typed into a form: it stays while other pages are shown, for each environment alone. Gone with the tab. */
export function useDraft<T>(name: string, initial: T): Signal<T> {
  const key = `${environmentName.value}/${name}`;
  const known = drafts.get(key) ?? signal<unknown>(initial);
  drafts.set(key, known);
  return known as Signal<T>;
}

export const forgetDrafts = (): void => drafts.clear();
