import type { Agent, Booted } from './boot.ts';

export interface Told {
  id: string;
  type: string;
  object: string;
  organization_id?: string;
  occurred_at: string;
  display_name: string;
  data: Record<string, unknown>;
}

const all = async (api: Agent): Promise<Told[]> =>
  (await api.post('/api/v1/events/paginated?page_size=100').send({}).expect(200)).body.events;

/** The events that `run` emits, oldest first. */
export async function toldBy(api: Agent, run: () => PromiseLike<unknown>): Promise<Told[]> {
  const known = new Set((await all(api)).map(({ id }) => id));
  await run();
  return (await all(api)).filter(({ id }) => !known.has(id)).toReversed();
}

export const typesOf = (events: readonly Told[]) => events.map(({ type }) => type);

/** Loads a scenario whose rule makes these changes to rows at the next call, and sends that call. */
export async function doneByRule({ api, control }: Pick<Booted, 'api' | 'control'>, changes: object) {
  const rules = [{ on: 'OrganizationService_ListOrganization', times: 1, do: changes }];
  await control.post('/scenarios').send({ name: 'meanwhile', rules }).expect(201);
  await api.get('/api/v1/organizations').expect(200);
}
