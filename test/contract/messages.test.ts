import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/webhooks/events/event.ts';
import { boot, packageFiles } from '../support/boot.ts';

const { contract } = packageFiles;

it('the contract has a webhook for each event type and no others', () => {
  const names = contract.messages.map(({ path }) => path);
  const types = names.filter((name) => !name.startsWith('interceptor.'));

  expect(types.toSorted()).toEqual(EVENT_TYPES.toSorted());
  expect(types).toHaveLength(41);
});

describe.each(EVENT_TYPES)('%s', (type) => {
  it('has example data that matches the contract', async () => {
    const { api } = await boot();

    const { body } = await api.post(`/api/v1/webhooks/test-event/${type}`).expect(200);

    expect(contract.messageComplaints(type, { ...body.event_payload, event: type })).toEqual([]);
  });

  it('requires its members and the right type', () => {
    const complaints = contract.messageComplaints(type, { type: 'something.else' });

    const paths = complaints.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['/body/type', '/body/event', '/body/id', '/body/data']));
  });
});
