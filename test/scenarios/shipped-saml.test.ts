import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { answerAs, beginSaml, enable, NORDWIND } from '../support/saml-sign-in.ts';

async function signIn(booted: Booted): Promise<string | null> {
  const back = await answerAs(await beginSaml(booted));
  return back.query('code') ? 'signed in' : back.query('error');
}

describe.each([
  ['saml-unsigned', 'signature_validation_failed'],
  ['saml-wrong-audience', 'invalid_saml_response'],
  ['saml-expired', 'assertion_expired'],
  ['saml-clock-ahead', 'assertion_expired'],
  ['saml-attribute-missing', 'mandatory_attribute_missing'],
  ['saml-certificate-expired', 'signature_validation_failed'],
  ['saml-certificate-changed', 'signature_validation_failed'],
  ['saml-encrypted', 'signed in'],
  ['saml-transient-name', 'signed in'],
])('%s', (name, outcome) => {
  it.each([
    ['each SAML connection', {}],
    ['the connection that is given', { connection_id: NORDWIND }],
  ])('applies to %s', async (_, params) => {
    const booted = await boot();
    await enable(booted);
    expect(await signIn(booted)).toBe('signed in');
    await booted.control.post('/scenarios').send({ name, params }).expect(201);

    expect(await signIn(booted)).toBe(outcome);
    const { body } = await booted.control.get(`/state/connections/${NORDWIND}`).expect(200);
    expect(body.saml_provider).toBeTruthy();
  });

  it('needs a SAML connection', async () => {
    const { control } = await boot();
    const params = { connection_id: 'conn_10000000000000251' };

    const { body } = await control.post('/scenarios').send({ name, params }).expect(400);

    expect(JSON.stringify(body)).toContain('connections');
  });
});

it('saml-attribute-missing leaves out the attribute that is given', async () => {
  const booted = await boot();
  await enable(booted);
  const params = { attribute: 'given_name' };
  await booted.control.post('/scenarios').send({ name: 'saml-attribute-missing', params }).expect(201);

  expect(await signIn(booted)).toBe('signed in');
});

it('saml-certificate-changed lets a connection pass that follows the metadata', async () => {
  const booted = await boot();
  await enable(booted, { saml_config: { idp_metadata_url: 'https://idp.example/metadata' } });
  await booted.control.post('/scenarios').send({ name: 'saml-certificate-changed' }).expect(201);

  expect(await signIn(booted)).toBe('signed in');
});

it('a scenario can force the consumer of assertions to fail', async () => {
  const booted = await boot();
  await enable(booted);
  const rules = [{ on: 'IdentityProvider_ReturnSaml', reply: { error: 'unavailable' } }];
  await booted.control.post('/scenarios').send({ name: 'consumer-down', rules }).expect(201);

  const back = await answerAs(await beginSaml(booted));

  expect(back.status).toBe(503);
});
