import { describe, expect, it } from 'vitest';
import { serve } from '../support/process.ts';

describe('the flags of the journal', () => {
  it('limit the journal and show secrets', async () => {
    const variables = { UNDERSTUDY_REDACT: 'off', UNDERSTUDY_JOURNAL_BYTES: '100000' };
    const service = await serve(['--journal-entries', '1'], { variables });
    await service.login();
    await service.anonymous.get('/nothing?code=123456').expect(404);

    const { body } = await service.control.get('/requests').expect(200);

    expect(body.requests).toMatchObject([{ request: { query: { code: '123456' } } }]);
  });

  it.each([['--no-redact'], []])('redact secrets by default: %s', async (...flags) => {
    const variables = { UNDERSTUDY_REDACT: 'on' };
    const service = await serve(flags, { variables });
    await service.login();

    const { text } = await service.control.get('/requests').expect(200);

    expect(text.includes(service.client_secret)).toBe(flags.length > 0);
  });
});
