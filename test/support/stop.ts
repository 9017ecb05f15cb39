import { expect } from 'vitest';
import { eventually, serve, type Exit, type Service } from './process.ts';

const LIST = 'OrganizationService_ListOrganization';

/** Waits until the journal has at least `count` calls of the operation. */
export const begun = ({ control }: Service, operation: string, count: number) =>
  eventually(
    async () =>
      (await control.get(`/requests?operation=${operation}`).expect(200)).body.requests.length as number,
    (length) => length >= count,
  );

/** A service whose stop takes the whole grace period, because a rule delays a call for an hour. */
export async function busyService(): Promise<{ service: Service; cutOff: Promise<void> }> {
  const service = await serve();
  const api = await service.login();
  const rules = [{ on: LIST, fault: { delay: '1h' } }];
  await service.control.post('/scenarios').send({ name: 'never', rules }).expect(201);
  const cutOff = expect(api.get('/api/v1/organizations')).rejects.toThrow(/hang up|ECONNRESET/);
  await begun(service, LIST, 1);
  return { service, cutOff };
}

/**
 * Stops a service without open calls, and expects it to end before a busy one that is stopped at the same
 * time.
 */
export async function stopAtOnce(service: Service): Promise<Exit> {
  const busy = await busyService();
  const ended: Service[] = [];
  const stop = async (each: Service) => {
    const exit = await each.stop();
    ended.push(each);
    return exit;
  };
  const [exit] = await Promise.all([stop(service), stop(busy.service)]);
  await busy.cutOff;
  expect(ended.indexOf(service)).toBe(0);
  return exit;
}
