import { expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { ADA, RAVI } from '../support/fixture-ids.ts';

it.each([
  [{ user_id: ADA }, [429, 200]],
  [{}, [429, 429]],
])('totp-locked with %j locks the app for ten minutes', async (params, statuses) => {
  const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
  for (const user of [ADA, RAVI]) await control.post('/totp').send({ user }).expect(200);
  await control.post('/scenarios').send({ name: 'totp-locked', params }).expect(201);
  const enter = async (user: string) => {
    const { body } = await control.get('/totp').query({ user }).expect(200);
    return (await api.post(`/api/v1/user/${user}/totp:verify`).send({ code: body.code })).status;
  };

  expect([await enter(ADA), await enter(RAVI)]).toEqual(statuses);
  await control.post('/clock/advance').send({ by: '10m' }).expect(200);
  expect(await enter(ADA)).toBe(200);
});
