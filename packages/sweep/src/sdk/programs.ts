import { PYTHON_TRUST } from '../runs/trust.ts';

/** How a program for an official SDK is written and run. */
interface SdkProgram {
  /** The package that must be installed. */
  package: string;
  /** The programs, by what they do. Each makes one call, and prints the outcome as one line of JSON. */
  commands: (variables: Readonly<Record<string, string | undefined>>) => Readonly<Record<SdkCall, string[]>>;
  /** Variables with the file of authorities that the SDK trusts; absent: it calls without TLS. */
  trust?: readonly string[];
}

export type SdkCall = 'read' | 'write';

/** The operation of each call. The program has made another call before, so its client has a token. */
export const OPERATIONS: Readonly<Record<SdkCall, string>> = {
  read: 'OrganizationService_GetOrganization',
  write: 'OrganizationService_CreateOrganization',
};

const nodeProgram = (call: string) => `
import { ScalekitClient } from '@scalekit-sdk/node';
const { SCALEKIT_ENVIRONMENT_URL: url, SCALEKIT_CLIENT_ID: id, SCALEKIT_CLIENT_SECRET: secret } = process.env;
const client = new ScalekitClient(url, id, secret);
const say = (outcome) => { console.log(JSON.stringify(outcome)); process.exit(); };
await client.organization.listOrganization({ pageSize: 1 });
client.organization.${call}.then(() => say({}), (error) => say({ error: error.constructor.name }));`;

const pythonProgram = (call: string) => `
import json, os
from scalekit import ScalekitClient
try:
    client = ScalekitClient(os.environ["SCALEKIT_ENVIRONMENT_URL"], os.environ["SCALEKIT_CLIENT_ID"], os.environ["SCALEKIT_CLIENT_SECRET"])
    client.organization.list_organizations(page_size=1)
    client.organization.${call}
    print(json.dumps({}))
except Exception as error:
    print(json.dumps({"error": type(error).__name__}))`;

const ACME = 'org_10000000000000001';

export const SDKS: Readonly<Record<'node' | 'python', SdkProgram>> = {
  node: {
    package: '@scalekit-sdk/node',
    commands: () => {
      const start = ['node', '--input-type=module', '--eval'];
      return {
        read: [...start, nodeProgram(`getOrganization('${ACME}')`)],
        write: [...start, nodeProgram("createOrganization('Initech')")],
      };
    },
  },
  python: {
    package: 'scalekit-sdk-python',
    commands: ({ UNDERSTUDY_PYTHON: python = 'python3' }) => ({
      read: [python, '-c', pythonProgram(`get_organization("${ACME}")`)],
      write: [
        python,
        '-c',
        pythonProgram('create_organization(CreateOrganization(display_name="Initech"))').replace(
          'import json, os',
          'import json, os\nfrom scalekit.v1.organizations.organizations_pb2 import CreateOrganization',
        ),
      ],
    }),
    trust: PYTHON_TRUST,
  },
};
