import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../src/start/config.ts';
import { boot, tokenOf } from '../support/boot.ts';
import { blocksOf, placeOf } from './pages.ts';

const RESEND = '/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend';

describe('the scenario in docs/scenarios.md', () => {
  it('does what its comments say', async () => {
    const [example] = blocksOf('yaml').filter(({ page }) => page === 'docs/scenarios.md');
    const { control, understudy } = await boot();

    const { body: loaded } = await control
      .post('/scenarios')
      .set('content-type', 'application/yaml')
      .send(example!.text)
      .expect(201);
    const token = await tokenOf(understudy.app, KNOWN_CREDENTIALS);
    const statuses: number[] = [];
    for (let call = 0; call < 3; call += 1) {
      const { status } = await supertest(understudy.app)
        .patch(RESEND)
        .set('authorization', `Bearer ${token}`)
        .send({});
      statuses.push(status);
    }

    expect(statuses).toEqual([200, 429, 200]);
    expect(loaded).not.toHaveProperty('warnings');
    await control.get('/state/sessions/ses_10000000000000401').expect(404);

    const { body } = await control.get('/scenarios/late-invite').expect(200);
    expect(body).toMatchObject({
      params: { user_id: 'usr_10000000000000105', wait: 2 },
      rules: [
        { from: 'invite-expired' },
        { from: 'invite-expired' },
        { from: 'invite-expired' },
        { from: 'slow-answers' },
        { on: 'UserService_ResendInvite' },
      ],
    });
  });
});

describe('a complete scenario in docs/', () => {
  const scenarios = blocksOf('yaml').filter(({ text }) => text.startsWith('# yaml-language-server'));

  it.each(scenarios.map((block) => [placeOf(block), block.text]))(
    'loads without warnings: %s',
    async (_, text) => {
      const { control } = await boot();

      const { body } = await control
        .post('/scenarios')
        .set('content-type', 'application/yaml')
        .send(text)
        .expect(201);

      expect(body).not.toHaveProperty('warnings');
    },
  );
});

describe('the fixture in docs/fixtures.md', () => {
  it('can be loaded as a state', async () => {
    const [example] = blocksOf('json').filter(({ page }) => page === 'docs/fixtures.md');
    const { control } = await boot();

    await control.put('/state').send(JSON.parse(example!.text)).expect(204);

    const { body } = await control.get('/state/organizations/org_10000000000000090').expect(200);
    expect(body).toMatchObject({ display_name: 'Globex' });
  });
});
