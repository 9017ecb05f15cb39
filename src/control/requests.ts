import type { ControlOutput } from '../contract/types.ts';
import { notFound } from '../errors.ts';
import type { ControlOperations } from './handler.ts';

type EntryView = ControlOutput<'Control_GetRequest'>;

export const requests = {
  Control_ListRequests({ query }, { environment }) {
    const { operation, status, since, limit = 100 } = query;
    if (since !== undefined && !environment.journal.find(since)) throw notFound('request', since);
    const entries = environment.journal
      .list(since)
      .filter((entry) => operation === undefined || entry.operation === operation)
      .filter((entry) => status === undefined || entry.status === status);
    // The journal's own view is checked against the document like every answer.
    return { requests: entries.slice(-limit).map((entry) => entry.view(environment.name) as EntryView) };
  },

  Control_GetRequest({ path }, { environment }) {
    const entry = environment.journal.find(path.id);
    if (!entry) throw notFound('request', path.id);
    return entry.view(environment.name) as EntryView;
  },

  Control_ClearRequests(_, { environment }) {
    environment.journal.clear();
    return undefined;
  },
} satisfies Partial<ControlOperations>;
