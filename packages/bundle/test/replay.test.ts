import { describe, expect, it } from 'vitest';
import { boot, packageFiles, type Booted } from '../../../test/support/boot.ts';
import type { Bundle } from '../src/format.ts';
import { readBundle } from '../src/read.ts';
import { replayBundle } from '../src/replay/replay.ts';
import { bytesOf, LIST, packed, story, unpacked } from './support/bundles.ts';

const NOW = '2030-01-01T00:00:00Z';

const bundleOf = async ({ control }: Booted): Promise<Bundle> =>
  readBundle(await bytesOf(control), packageFiles.control);

describe('a replay', () => {
  it('gets equal answers with a frozen clock, scenarios, changes by hand and secrets', async () => {
    const booted = await boot({ now: NOW });
    await story(booted);

    const result = await replayBundle(await bundleOf(booted));

    expect(result).toEqual({ compared: 9, skipped: [] });
  });

  it('gets equal answers where the clock of the machine ran', async () => {
    const booted = await boot();
    await story(booted);

    expect(await replayBundle(await bundleOf(booted))).toEqual({ compared: 9, skipped: [] });
  });

  it('repeats what a sign-in with a code does, with the tokens of this run', async () => {
    const booted = await boot({ now: NOW });
    const { anonymous, api, control } = booted;
    const { body } = await api
      .post('/api/v1/passwordless/email/send')
      .send({ email: 'ada@acme.example', template: 'SIGNIN' })
      .expect(200);
    const { body: sent } = await control.get('/mail?to=ada@acme.example').expect(200);
    await api
      .post('/api/v1/passwordless/email/verify')
      .send({ code: sent.mails.at(-1).code, auth_request_id: body.auth_request_id })
      .expect(200);
    const query =
      'response_type=code&client_id=skc_1000000000000000001&redirect_uri=http://localhost/callback';
    const authorized = await anonymous
      .get(
        `/oauth/authorize?${query}&scope=openid+offline_access&login_hint=ada@acme.example&understudy_auto=1`,
      )
      .expect(302);
    const code = new URL(authorized.headers['location']!).searchParams.get('code')!;
    const form = {
      grant_type: 'authorization_code',
      redirect_uri: 'http://localhost/callback',
      client_id: 'skc_1000000000000000001',
      client_secret: 'test_understudy_default_secret',
    };
    const tokens = await anonymous
      .post('/oauth/token')
      .type('form')
      .send({ ...form, code })
      .expect(200);
    await anonymous.get('/userinfo').set('authorization', `Bearer ${tokens.body.access_token}`).expect(200);

    const result = await replayBundle(await bundleOf(booted));

    expect(result.difference).toBeUndefined();
    expect(result).toMatchObject({ compared: 6, skipped: [] });
  });

  it('names the first difference and why', async () => {
    const booted = await boot({ now: NOW });
    await story(booted);
    const distorted = await bundleOf(booted);
    const taken = distorted.calls.find(({ status }) => status === 400)!;
    taken['replyText'] = (taken['replyText'] as string).replace('crm-1', 'crm-2');

    const { difference, compared } = await replayBundle(distorted);

    expect(compared).toBe(5);
    expect(difference).toMatchObject({
      call: { id: 'req_5', method: 'POST', path: LIST },
      place: 'body.message',
      whyIs: expect.stringContaining('crm-1') as string,
    });
  });

  it('names a status, a member that is gone and a row that was another one', async () => {
    const booted = await boot({ now: NOW });
    await story(booted);
    const good = unpacked(await bytesOf(booted.control));
    const distortions: [(bundle: Bundle) => void, string, string][] = [
      [({ calls }) => void (calls[1]!.status = 200), 'req_2', 'status'],
      [
        ({ calls }) =>
          void (calls[2]!['replyText'] = (calls[2]!['replyText'] as string).replace(
            '"display_name"',
            '"display"',
          )),
        'req_3',
        'body.organization.display',
      ],
      [
        ({ calls }) => void Object.assign(calls[4]!.body as object, { external_id: 'crm-9' }),
        'req_5',
        'status',
      ],
      [
        ({ commits }) => {
          const { changes } = commits.findLast(({ call }) => call === undefined)!;
          changes[0] = { ...changes[0]!, row: { ...changes[0]!.row!, display_name: 'By another hand' } };
        },
        'req_9',
        'body.organizations[0].display_name',
      ],
    ];
    for (const [distort, id, place] of distortions) {
      const bundle = structuredClone(good);
      distort(bundle);
      const { difference } = await replayBundle(await readBundle(packed(bundle), packageFiles.control));
      expect(difference?.call.id).toBe(id);
      expect(difference?.place).toBe(place);
    }
  });

  it('is equal twenty times of twenty', async () => {
    const booted = await boot({ now: NOW });
    await story(booted);
    const bundle = await bundleOf(booted);
    for (let count = 0; count < 20; count += 1)
      expect(await replayBundle(bundle)).toEqual({ compared: 9, skipped: [] });
  });
});
