import { expect, it } from 'vitest';
import { follow } from '../support/event-stream.ts';
import { serve } from '../support/process.ts';
import { stopAtOnce } from '../support/stop.ts';

it('an event stream ends when the process is asked to stop', async () => {
  const service = await serve();
  const stream = await follow(`${service.url}/_control/v1/events`);

  const [{ code, stderr }, events] = await Promise.all([stopAtOnce(service), stream.toEnd()]);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(events).toMatchObject([{ event: 'end', data: { reason: 'stopping' } }]);
});

it('a wait for requests ends when the process is asked to stop', async () => {
  const service = await serve();
  const waiting = service.control.get('/requests/wait?timeout=5m&path=/nothing').then((answer) => answer);
  await service.control.get('/requests/wait?timeout=100ms&path=/nothing').expect(408);

  const { code, stderr } = await stopAtOnce(service);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(await waiting).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { message: 'understudy is stopping' },
  });
});
