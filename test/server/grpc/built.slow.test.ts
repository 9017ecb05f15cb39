import { Code } from '@connectrpc/connect';
import { expect, it } from 'vitest';
import { serve } from '../../support/process.ts';
import { callRaw, framed } from './raw.ts';

const PATH = '/scalekit.v1.organizations.OrganizationService/GetOrganization';

it('a built service refuses a gRPC call that cannot be read', async () => {
  const { url } = await serve();
  const form = { grant_type: 'client_credentials', client_id: 'skc_1000000000000000001' };
  const body = new URLSearchParams({ ...form, client_secret: 'test_understudy_default_secret' });
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body });
  const { access_token } = (await answer.json()) as { access_token: string };
  const authorization = `Bearer ${access_token}`;
  const { code } = await callRaw(url, PATH, framed(Buffer.from([0xff])), { authorization });
  expect(code).toBe(Code.InvalidArgument);
});
