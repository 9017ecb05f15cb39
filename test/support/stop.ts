import { expect } from 'vitest';
import { eventually, serve, type Exit, type Service } from './process.ts';

const LIST = 'OrganizationService_ListOrganization';

/** Calls that the service has begun to answer, by its own journal. */
export const begun = ({ control }: Service, operation: string, count: number) =>
  eventually(
    async () =>
      (await control.get(`/requests?operation=${operation}`).expect(200)).body.requests.length as number,
    (length) => length >= count,
  );

/** Its stop takes as long as a stop may: it is to answer a call that is held up for an hour. */
export async function busyService(): Promise<{ service: Service; cutOff: Promise<void> }> {
  const service = await serve();
  const api = await service.login();
  const rules = [{ on: LIST, fault: { delay: '1h' } }];
  await service.control.post('/scenarios').send({ name: 'never', rules }).expect(201);
  const cutOff = expect(api.get('/api/v1/organizations')).rejects.toThrow(/hang up|ECONNRESET/);
  await begun(service, LIST, 1);
  return { service, cutOff };
}

/** Stops a service that has no call to answer: it ends before one that is stopped with it and has. */
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
