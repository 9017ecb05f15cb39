import { describe, expect, it } from 'vitest';
import { agentWithHeaders, boot, type Agent, type Booted } from '../../../../test/support/boot.ts';
import { sampleResponse } from '../../../../test/support/saml.ts';
import {
  allowInitiation,
  beginSaml,
  ISSUER,
  NINA,
  NORDWIND,
  postResponse,
} from '../../../../test/support/saml-sign-in.ts';
import { CALLBACK, patchRow } from '../../../../test/support/sso.ts';

const NOW = '2030-01-01T00:00:00Z';
/** Fixed, so that forks have the same names. */
const FIXED = { sp_entity_id: 'https://app.example/sp', sp_assertion_url: 'https://app.example/acs' };

const setUp = async (booted: Booted) => {
  await allowInitiation(booted);
  const saml_config = { idp_entity_id: ISSUER, allow_idp_initiated_login: true, ...FIXED };
  const attribute_mapping = { email: 'email' };
  await patchRow(booted.control, 'connections', NORDWIND, { saml_config, attribute_mapping });
};

const response = (requestId?: string) =>
  sampleResponse(
    {
      now: Date.parse(NOW),
      issuer: ISSUER,
      consumerUrl: FIXED.sp_assertion_url,
      audience: FIXED.sp_entity_id,
      requestId: requestId ?? '',
    },
    {
      sign: 'both',
      ...(requestId === undefined && { inResponseTo: undefined }),
      user: { nameId: NINA, attributes: { email: [NINA] } },
    },
  );

/** Posts a response that nobody has asked for; returns where it leads, or the text of the page that refuses it. */
async function post(agent: Agent, xml = response()): Promise<string> {
  const form = { SAMLResponse: Buffer.from(xml).toString('base64') };
  const { headers, text } = await agent.post(`/sso/v1/saml/${NORDWIND}/callback`).type('form').send(form);
  return (headers['location'] as string | undefined) ?? text;
}

const TAKEN = /idp_initiated_login=/;
const REPLAYED = /the assertion was used before/;

async function forked({ control, anonymous }: Booted, name: string): Promise<Agent> {
  await control.post('/environments/default/fork').send({ name }).expect(201);
  return agentWithHeaders(anonymous, { 'understudy-environment': name });
}

async function usedAssertions({ control }: Booted): Promise<number> {
  const { body } = await control.get('/state/revoked_tokens').expect(200);
  return body.rows.filter(({ id }: { id: string }) => id.startsWith('jti_')).length;
}

describe('the SAML state of an environment', () => {
  it('is in a fork: a used assertion stays used, and a new one is used in one of them only', async () => {
    const booted = await boot({ now: NOW });
    await setUp(booted);
    const before = await forked(booted, 'before');

    const first = await post(booted.anonymous);
    const after = await forked(booted, 'after');

    expect(first).toMatch(TAKEN);
    expect(await post(after)).toMatch(REPLAYED);
    expect(await post(before)).toMatch(TAKEN);
    expect(await post(booted.anonymous)).toMatch(REPLAYED);
  });

  it('is forgotten by a reset, and comes back with a snapshot', async () => {
    const booted = await boot({ now: NOW });
    await setUp(booted);
    await booted.control.post('/snapshots').send({ name: 'unused' }).expect(201);
    await post(booted.anonymous);
    await booted.control.post('/snapshots').send({ name: 'used' }).expect(201);

    await booted.control.post('/snapshots/unused/restore').expect(204);
    const again = await post(booted.anonymous);
    await booted.control.post('/snapshots/used/restore').expect(204);
    const replayed = await post(booted.anonymous);
    const remembered = await usedAssertions(booted);
    await booted.control.post('/reset').expect(204);

    expect([again, replayed]).toEqual([expect.stringMatching(TAKEN), expect.stringMatching(REPLAYED)]);
    expect([remembered, await usedAssertions(booted)]).toEqual([1, 0]);
  });

  it('has the requests that wait for an answer: a reset forgets them', async () => {
    const booted = await boot({ now: NOW });
    await setUp(booted);
    const begun = await beginSaml(booted);
    const xml = response(begun.target.requestId);
    await booted.control.post('/snapshots').send({ name: 'begun' }).expect(201);
    await booted.control.post('/reset').expect(204);
    await setUp(booted);

    const forgotten = await postResponse(begun, xml);
    await booted.control.post('/snapshots/begun/restore').expect(204);
    const back = await postResponse(begun, xml);

    expect(forgotten.text).toContain('nobody has sent the request that is answered');
    expect(back.url).toContain(`${CALLBACK}?code=`);
  });
});
