import type { Server } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ControlClient } from '@understudy/client/control';
import { JournalReader } from '../src/requests/call-line.ts';
import { boot } from '../../../test/support/boot.ts';
import { addressOf, serverOf } from '../../../test/support/listening.ts';

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

  it('reads calls that ended meanwhile again, neighbours with one fetch', async () => {
    const { understudy, api } = await boot();
    for (let made = 0; made < 61; made += 1) await api.get('/api/v1/users').expect(200);
    const handle = new ControlClient(addressOf(understudy.app)).environment('default');
    const reader = new JournalReader(handle, { wanted: {}, page: 100 });
    await reader.read();
    let fetches = 0;
    (serverOf(understudy.app) as Server).on('request', () => (fetches += 1));

    for (const number of [3, 1, 2, 60, 62]) reader.ended(`req_${number}`);
    const { lines } = await reader.read();

    expect(lines.map(({ id }) => id)).toEqual(['req_1', 'req_2', 'req_3', 'req_60', 'req_62']);
    // What is new, and the two groups.
    expect(fetches).toBe(3);
  });
});
