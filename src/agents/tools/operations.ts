import { requestToken } from '../access-tokens.ts';
import { callOperation, type CallArguments } from '../call-operation.ts';
import { describeOperation, findOperations } from '../operation-search.ts';
import { clipped } from '../size.ts';
import { ADDS, COUNT, LIST, OBJECT, optional, READS, REMOVES, TEXT, tool } from '../tool.ts';

const OPERATION = {
  type: 'string',
  minLength: 1,
  description: 'The id of an operation, such as OrganizationService_CreateOrganization.',
};

export const operationTools = [
  tool<{ operation?: string; search?: string }>({
    name: 'describe_operation',
    title: 'Find and describe operations',
    description:
      'With `search`: finds operations of the simulated API by words of their id, path or summary. With `operation`: says what the operation takes (parameters, body with an example) and which statuses it answers.',
    input: {
      operation: OPERATION,
      search: { type: 'string', minLength: 1, description: 'Words, such as "create organization".' },
    },
    output: { operations: optional(LIST), total: optional(COUNT), operation: optional(OBJECT) },
    hints: READS,
    ofEnvironment: false,
    async run({ operation, search }, { access }) {
      const document = access.documents.service();
      if (operation === undefined) return findOperations(document, search ?? '');
      const described = clipped(describeOperation(document, operation)).value;
      return { text: JSON.stringify(described, null, 1), data: { operation: described } };
    },
  }),

  tool<CallArguments>({
    name: 'call_operation',
    title: 'Call an operation',
    description:
      'Calls an operation of the simulated API as an application does: scenarios apply and the journal lists the call. A token of the environment’s own client is sent unless `token` is given. An answer with an error status is a result, not a failure of this tool.',
    input: {
      operation: OPERATION,
      parameters: {
        type: 'object',
        description: 'Path and query parameters by name, such as {"id": "org_1", "page_size": 10}.',
      },
      body: {
        type: ['object', 'array'],
        description: 'The body of the request, as describe_operation says.',
      },
      headers: { type: 'object', description: 'More headers, such as {"idempotency-key": "1"}.' },
      token: {
        type: 'string',
        description: 'A bearer token, such as one of make_token. An empty text sends none.',
      },
    },
    required: ['operation'],
    output: { status: COUNT, body: {}, request_id: optional(TEXT), headers: OBJECT },
    hints: { ...REMOVES, idempotentHint: false },
    run: callOperation,
  }),

  tool<{ client_id?: string; client_secret?: string }>({
    name: 'make_token',
    title: 'Make an access token',
    description:
      'Makes an access token by the client credentials grant: of the environment’s own client, or of the client that is given. For curl: -H "authorization: Bearer …".',
    input: {
      client_id: { type: 'string', minLength: 1, description: 'The client; with its client_secret.' },
      client_secret: { type: 'string', minLength: 1, description: 'The secret of the client.' },
    },
    output: { access_token: TEXT, expires_in: COUNT, client_id: TEXT },
    hints: ADDS,
    async run(given, context) {
      const own = await context.environment.get();
      const credentials = { client_id: own.client_id, client_secret: own.client_secret, ...given };
      const { access_token, expires_in } = await requestToken(context, credentials);
      const { client_id } = credentials;
      return { text: access_token, data: { access_token, expires_in, client_id } };
    },
  }),
];
