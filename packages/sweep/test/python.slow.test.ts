import { expect, it } from 'vitest';
import { sweepWith } from './support/sweeping.ts';

const PROGRAM = `
import json, os, urllib.parse, urllib.request
url = os.environ["SCALEKIT_ENVIRONMENT_URL"]
assert url.startswith("https://localhost:"), url
form = urllib.parse.urlencode({"grant_type": "client_credentials", "client_id": os.environ["SCALEKIT_CLIENT_ID"],
                               "client_secret": os.environ["SCALEKIT_CLIENT_SECRET"]})
token = json.load(urllib.request.urlopen(url + "/oauth/token", form.encode()))["access_token"]
call = urllib.request.Request(url + "/api/v1/organizations", headers={"authorization": "Bearer " + token})
urllib.request.urlopen(call)`;

it('a program in Python calls over TLS, as its SDK does, and trusts the service', async () => {
  const { UNDERSTUDY_PYTHON: python = 'python3' } = process.env;

  const { out } = await sweepWith({
    command: [python, '-c', PROGRAM],
    failure: ['internal-error'],
    operation: 'OrganizationService_*',
  });

  expect(out).toContain('OrganizationService_ListOrganization: broken (internal-error)');
});
