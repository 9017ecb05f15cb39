import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { messageOf } from '../data.ts';
import { Complaint, Empty } from './parts.tsx';

/** A component whose code the browser fetches when it is shown for the first time. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded = signal<{ Part: ComponentType<P> } | undefined>(undefined);
  const failure = signal<string | undefined>(undefined);
  let isAsked = false;
  const ask = () => {
    isAsked = true;
    load().then(
      (Part) => (loaded.value = { Part }),
      (thrown: unknown) => {
        isAsked = false;
        failure.value = messageOf(thrown);
      },
    );
  };
  return function Lazy(props: P) {
    if (!isAsked) ask();
    if (failure.value !== undefined && !loaded.value) return <Complaint of={failure.value} />;
    const { Part } = loaded.value ?? {};
    return Part ? <Part {...props} /> : <Empty>Loading…</Empty>;
  };
}
