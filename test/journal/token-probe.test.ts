import { expect, it } from 'vitest';
import { ControlClient } from '@understudy/client/control';
import { reportOf } from '@understudy/client/testing/suite';
import type { TestEnvironment } from '@understudy/client/testing/testing';
import { boot } from '../support/boot.ts';
import { addressOf } from '../support/listening.ts';

const USERS = '/api/v1/users';
const SDK = { 'x-sdk-version': 'Scalekit-Node/2.11.0' };

it.each([
  ['the first call of the SDK for Node', SDK, 'call_without_token'],
  ['a call with a wrong token', { ...SDK, authorization: 'Bearer wrong' }, undefined],
  ['a call of another client', { 'user-agent': 'curl/8' }, undefined],
])('says whether the refusal is expected: %s', async (_, headers, expected) => {
  const { anonymous, control } = await boot();

  const { headers: answered } = await anonymous.get(USERS).set(headers).expect(401);

  const { body } = await control.get(`/requests/${answered['understudy-request-id']}`).expect(200);
  expect(body.expected).toBe(expected);
});

it('counts for no coverage, because no test has asked for the refusal', async () => {
  const { anonymous, control } = await boot();
  const { body: before } = await control.get('/coverage').expect(200);
  await anonymous.get(USERS).set(SDK).expect(401);

  const { body: after } = await control.get('/coverage').expect(200);

  expect(after.summary).toEqual(before.summary);
});

it('is no failure in the report of a test', async () => {
  const { anonymous, understudy } = await boot();
  await anonymous.get(USERS).set(SDK).expect(401);
  await anonymous.get(USERS).expect(401);
  const client = new ControlClient(addressOf(understudy.app)).environment('default');

  const report = await reportOf(client as unknown as TestEnvironment);

  expect(report).toContain('1 of 3 calls failed or broke the contract');
});
