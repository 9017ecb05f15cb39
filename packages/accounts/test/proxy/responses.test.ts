import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';

const BOT = { connection_name: 'exa', identifier: 'research-bot' };

/** Stores a proxy response, by default with status 200. */
const putResponse = (control: Agent, id: string, row: object) =>
  control
    .put(`/state/proxy_responses/${id}`)
    .send({ status: 200, ...row })
    .expect(200);

describe('a stored proxy response', () => {
  it('is chosen by the most specific match', async () => {
    const { api, control } = await boot();
    const ask = async (path: string, verb: 'get' | 'post' = 'get') =>
      (await api[verb](`/proxy${path}`).set(BOT)).body;
    await putResponse(control, 'any', { path: '/a/*', body: { by: 'any' } });
    expect(await ask('/a/b')).toEqual({ by: 'any' });

    await putResponse(control, 'provider', { provider: 'EXA', path: '/a/*', body: { by: 'provider' } });
    await putResponse(control, 'other', { provider: 'GMAIL', path: '/a/b', body: { by: 'other' } });
    expect(await ask('/a/b')).toEqual({ by: 'provider' });

    await putResponse(control, 'glob', {
      connector: 'exa',
      method: 'GET',
      path: '/a/*',
      body: { by: 'glob' },
    });
    expect([await ask('/a/b/c'), await ask('/a/b', 'post')]).toEqual([{ by: 'glob' }, { by: 'provider' }]);

    await putResponse(control, 'plain', { connector: 'exa', path: '/a/b', body: { by: 'plain' } });
    await putResponse(control, 'method', {
      connector: 'exa',
      method: 'POST',
      path: '/a/b',
      body: { by: 'method' },
    });
    expect([await ask('/a/b'), await ask('/a/b', 'post')]).toEqual([{ by: 'plain' }, { by: 'method' }]);
  });

  it('can use parameters of the request', async () => {
    const { api, control } = await boot();
    const body = { title: { $param: 'title' }, page: { $param: 'page', default: '1' } };
    await putResponse(control, 'note', { path: '/notes', status: 201, body });

    const response = await api.post('/proxy/notes?page=3').set(BOT).send({ title: 'Tasting' });

    expect(response).toMatchObject({ status: 201, body: { title: 'Tasting', page: '3' } });
  });

  it('cannot set content-length', async () => {
    const { api, control } = await boot();
    await putResponse(control, 'long', {
      path: '/long',
      headers: { 'Content-Length': '1', 'X-Mine': 'm' },
      body: 'text',
    });

    const response = await api.get('/proxy/long').set(BOT).expect(200);

    expect(response.text).toBe('text');
    expect(response.headers).toMatchObject({ 'x-mine': 'm', 'content-type': 'text/plain; charset=utf-8' });
  });

  it('is deleted with its provider', async () => {
    const { api, control } = await boot();
    await putResponse(control, 'mine', { provider: 'CELLARBOOKS:10000000000000001', path: '/x' });

    await api.delete('/api/v1/custom-providers/CELLARBOOKS:10000000000000001').expect(200);

    await control.get('/state/proxy_responses/mine').expect(404);
  });
});

describe('The headers of a row', () => {
  it.each([
    ['with a line break', { 'x-a': 'b\r\nx-evil: 1' }],
    ['with a space in its name', { 'x a': 'b' }],
    ['that is too long', { 'x-a': 'b'.repeat(8193) }],
  ])('cannot have one %s', async (_, headers) => {
    const { control } = await boot();

    await control.put('/state/proxy_responses/mine').send({ path: '/*', status: 200, headers }).expect(400);

    await control.get('/state/proxy_responses/mine').expect(404);
  });
});
