import { describe, expect, it } from 'vitest';
import { operationsOf } from '../contract/bad-requests.ts';
import { call, expectRefusal } from '../contract/refusals.ts';
import { boot } from '../support/boot.ts';
import { agentOf } from './agents.ts';

const operations = operationsOf('control').filter(({ id }) => id !== 'Control_Health');

describe('with UNDERSTUDY_CONTROL_TOKEN', () => {
  it.each(operations)('$id requires the token before any other check', async (operation) => {
    const { understudy } = await boot({ controlToken: 'hush' });

    for (const authorization of [undefined, 'Bearer wrong', 'Basic aHVzaA==', 'hush']) {
      const agent = agentOf(understudy.app, authorization === undefined ? {} : { authorization });
      const response = await call(agent, operation, operation.path, { no_such: 1 });

      expectRefusal(response, [401], operation);
      expect(response.headers['www-authenticate']).toBe('Bearer');
      expect(response.body.message).toBe('the control API requires the token of UNDERSTUDY_CONTROL_TOKEN');
    }
  });

  it('a call with the token succeeds, and /health needs no token', async () => {
    const { understudy } = await boot({ controlToken: 'hush' });

    const clock = agentOf(understudy.app, { authorization: 'Bearer hush' }).get('/_control/v1/clock');
    const health = agentOf(understudy.app, {}).get('/_control/v1/health');

    await clock.expect(200);
    await health.expect(200);
  });
});

describe('without UNDERSTUDY_CONTROL_TOKEN', () => {
  it('the authorization header is ignored', async () => {
    const { understudy } = await boot();

    await agentOf(understudy.app, { authorization: 'Bearer of anything' })
      .get('/_control/v1/clock')
      .expect(200);
  });
});
