import { describe, expect, it } from 'vitest';
import { ControlClient } from '../../src/client/control.ts';
import { JournalReader } from '../../src/dashboard/requests/call-line.ts';
import { boot } from '../support/boot.ts';
import { addressOf } from '../support/listening.ts';

describe('JournalReader', () => {
  it('reads the whole list after a restart, also when a read was under way', async () => {
    const { understudy, api } = await boot();
    await api.get('/api/v1/users').expect(200);
    const handle = new ControlClient(addressOf(understudy.app)).environment('default');
    const reader = new JournalReader(handle, { wanted: {}, page: 100 });

    const begun = reader.read();
    reader.restart();
    const { lines } = await begun;
    await handle.requests.clear();

    expect(lines).not.toEqual([]);
    expect(await reader.read()).toMatchObject({ isWhole: true, lines: [] });
  });
});
