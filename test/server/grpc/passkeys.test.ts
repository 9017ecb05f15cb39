import { create, type DescMethod, type JsonObject } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { WebAuthnService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/auth/webauthn_pb.js';
import { expect, it } from 'vitest';
import { assert, register } from '@understudy/webauthn/authenticator';
import { tokensOf } from '../../operations/oauth-support.ts';
import { boot } from '../../support/boot.ts';
import { softPasskey } from '../../support/passkeys.ts';
import { callRpc, grpcTo, openFor } from './support.ts';
import { ADA } from '../../support/fixture-ids.ts';

it('registers a passkey and signs in with it over gRPC', async () => {
  const booted = await boot();
  const { access_token } = await tokensOf(booted);
  const url = await openFor(booted.understudy);
  const client = createClient(WebAuthnService, grpcTo(url));
  const headers = { authorization: `Bearer ${access_token}` };
  const { origins } = await client.getRelatedOrigins({});
  const origin = origins[0]!;
  const passkey = softPasskey(new URL(origin).hostname);
  const challengeIn = (options: JsonObject | undefined) => options!['challenge'] as string;

  const begun = await client.beginRegistration({}, { headers });
  const made = register(passkey, { challenge: challengeIn(begun.options), origin });
  const { success } = await client.finishRegistration(
    {
      credentialId: made.credentialId,
      attestationObject: made.attestationObject,
      clientDataJson: made.clientData,
      type: 'public-key',
    },
    { headers },
  );
  const { sessionId, options } = await client.beginAuthentication({ email: 'ada@acme.example' });
  const signed = assert({ ...passkey, signCount: 1 }, { challenge: challengeIn(options), origin });
  const answer = await client.finishAuthentication({
    sessionId,
    credentialId: made.credentialId,
    type: 'public-key',
    response: {
      authenticatorData: signed.authenticatorData,
      clientDataJson: signed.clientData,
      signature: signed.signature,
      userHandle: Buffer.from(ADA),
    },
  });

  expect(success).toBe(true);
  expect(answer).toMatchObject({
    success: true,
    userId: ADA,
    sessionToken: expect.stringMatching(/^\w{40}$/),
  });
});

it('says over gRPC which check failed', async () => {
  const { understudy } = await boot();
  const method: DescMethod = WebAuthnService.method.beginAuthentication;
  const message = create(method.input, { email: 'nobody@acme.example' });

  const error = await callRpc(grpcTo(await openFor(understudy)), method, message);

  expect(error).toBeInstanceOf(ConnectError);
  expect(error).toMatchObject({ code: Code.NotFound, rawMessage: 'user nobody@acme.example not found' });
});
