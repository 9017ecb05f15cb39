import { describe, expect, it } from 'vitest';
import { AllowedHosts } from '../../src/webhooks/allowed-hosts.ts';
import { boot } from '../support/boot.ts';
import { all, eventually, listen, NOW, organization, receiver } from './support.ts';

const isAllowed = (patterns: string[], url: string): boolean => {
  try {
    new AllowedHosts(patterns).check(new URL(url));
    return true;
  } catch {
    return false;
  }
};

describe('--webhook-allow', () => {
  it.each([
    [[], 'http://anybody.example/', true],
    [['app.example'], 'https://app.example/hooks', true],
    [['app.example'], 'https://APP.example.:8443/hooks', true],
    [['app.example'], 'https://my.app.example/', false],
    [['app.example:8080'], 'http://app.example:8080/', true],
    [['app.example:8080'], 'http://app.example/', false],
    [['app.example:443'], 'https://app.example/', true],
    [['*.app.example'], 'http://my.app.example/', true],
    [['*.app.example'], 'http://app.example/', false],
    [['*.app.example'], 'http://notapp.example/', false],
    [['10.0.0.0/8'], 'http://10.200.3.4/', true],
    [['10.0.0.0/8'], 'http://11.0.0.1/', false],
    [['10.0.0.0/8'], 'http://[::ffff:10.0.0.1]/', true],
    [['127.0.0.1'], 'http://0x7f.1/', true],
    [['[::1]:9000'], 'http://[::1]:9000/', true],
    [['[::1]:9000'], 'http://[::1]:9001/', false],
    [['[fd00::/8]'], 'http://[fd12::1]/', true],
    [['localhost'], 'http://127.0.0.1:3000/', true],
    [['localhost'], 'http://[::1]:3000/', true],
    [['localhost'], 'http://169.254.169.254/', false],
  ])('%j: %s is %s', (patterns, url, expected) => {
    expect(isAllowed(patterns, url)).toBe(expected);
  });

  it.each(['', 'a b', 'http://app.example', '10.0.0.0/33', 'app.example:99999', '*', '[::1', '10.0.0.0/8/8'])(
    'refuses the pattern %j',
    (pattern) => {
      expect(() => new AllowedHosts([pattern])).toThrow('is not a host');
    },
  );

  it('prevents other calls: the delivery fails with the reason and is not retried', async () => {
    const { api, control } = await boot({ now: NOW, webhookAllow: ['app.example', '10.0.0.0/8'] });
    const { received, port, url } = await receiver();
    await listen(control, url, {}, 'ep_address');
    await listen(control, `http://localhost:${port}/`, {}, 'ep_name');

    await organization(api, 'Acme');
    const found = await eventually(control, all('FAILED', 2));

    const rule = 'does not match --webhook-allow app.example 10.0.0.0/8';
    const errors = found.map(({ attempts }) => attempts.map(({ error }) => error).join());
    expect(errors[0]).toBe(`not called: 127.0.0.1:${port} ${rule}`);
    expect(errors[1]).toMatch(
      new RegExp(`^not called: localhost:${port} \\(.*127\\.0\\.0\\.1.*\\) ${rule}$`),
    );
    expect(received).toEqual([]);
  });

  it('allows a host name whose address is in an allowed range', async () => {
    const { api, control } = await boot({ now: NOW, webhookAllow: ['127.0.0.0/8'] });
    const { received, port } = await receiver();
    await listen(control, `http://localhost:${port}/`);

    await organization(api, 'Acme');
    await eventually(control, all('SUCCESS'));

    expect(received).toHaveLength(1);
  });
});
