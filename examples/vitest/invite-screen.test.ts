import { ScalekitClient } from '@scalekit-sdk/node';
import type { TestEnvironment } from 'understudy-server/testing';
import { test } from 'understudy-server/vitest';
import { describe, expect } from 'vitest';
import { inviteScreen, sendAgain } from './invite-screen.ts';

const NORDWIND = 'org_10000000000000002';
const LENA = 'usr_10000000000000105';

/** The SDK needs no extra settings: the client's credentials select the environment. */
const sdk = ({ url, clientId, clientSecret }: TestEnvironment) =>
  new ScalekitClient(url, clientId, clientSecret);

const rowOf = async (client: ScalekitClient, userId: string) =>
  (await inviteScreen(client, NORDWIND)).find((row) => row.userId === userId);

describe('the members page', () => {
  test('shows who is invited and marks an invitation as expired after 14 days', async ({ env }) => {
    const client = sdk(env);
    expect(await rowOf(client, LENA)).toMatchObject({ label: 'Invited' });

    await env.clock.advance('14d');

    expect(await rowOf(client, LENA)).toMatchObject({ label: 'Invitation expired', canSendAgain: true });
  });

  test('resends an expired invitation', async ({ env }) => {
    const client = sdk(env);
    await env.scenario('invite-expired');

    expect(await sendAgain(client, NORDWIND, LENA)).toBe('The invitation is on its way.');

    expect(await env.mail.wait({ to: 'lena@nordwind.example' })).toMatchObject({
      kind: 'invitation',
    });
    expect(await rowOf(client, LENA)).toMatchObject({ label: 'Invited' });
  });

  test('shows why an invitation was not sent', async ({ env }) => {
    await env.scenario({
      name: 'address-bounces',
      rules: [
        { on: 'UserService_ResendInvite', reply: { error: 'failed_precondition', message: 'it bounces' } },
      ],
    });

    expect(await sendAgain(sdk(env), NORDWIND, LENA)).toMatch(/^Not sent: .*it bounces$/);
    expect(await env.mail.list()).toEqual([]);
  });
});
