import { unchecked } from '@understudy/client/control';
import { requestToken } from '../access-tokens.ts';
import { callOperation, type CallArguments } from '../call-operation.ts';
import { describeOperation, findOperations } from '../operation-search.ts';
import { clipped } from '../size.ts';
import { ADDS, from, READS, REMOVES, tool } from '../tool.ts';

const OPERATION = {
  type: 'string',
  minLength: 1,
  description: 'Such as UserService_GetUser',
};

export const operationTools = [
  tool<{ operation?: string; search?: string }>({
    name: 'describe_operation',
    description:
      'Finds operations of the simulated API by plain words (`search`), or says what one takes and answers (`operation`).',
    input: {
      operation: OPERATION,
      search: { type: 'string', minLength: 1, description: 'Such as "invite user"' },
    },
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
    description:
      'Calls an operation of the simulated API as an application does. Sends a token of the environment’s own client unless `token` is given.',
    input: {
      operation: OPERATION,
      parameters: {
        type: 'object',
        description: 'Path and query parameters by name',
      },
      body: {
        type: ['object', 'array'],
      },
      headers: { type: 'object' },
      token: {
        type: 'string',
        description: 'Of make_token, for example; "" sends none',
      },
    },
    required: ['operation'],
    hints: REMOVES,
    run: callOperation,
  }),

  tool<{ client_id?: string; client_secret?: string }>({
    name: 'make_token',
    description:
      'Makes an access token of the environment’s own client, or of the one that is given (client credentials grant).',
    input: {
      client_id: { type: 'string', minLength: 1 },
      client_secret: { type: 'string', minLength: 1 },
    },
    hints: ADDS,
    async run(given, context) {
      const own = await context.environment.get();
      const credentials = { client_id: own.client_id, client_secret: own.client_secret, ...given };
      const { access_token, expires_in } = await requestToken(context, credentials);
      const { client_id } = credentials;
      return { text: access_token, data: { access_token, expires_in, client_id } };
    },
  }),

  tool<{ overlap?: string }>({
    name: 'rotate_keys',
    description: 'Signs new tokens with a new key. /keys lists the former keys until `overlap` is over.',
    input: { overlap: from('Control_RotateKeys', { description: '1h; 0s removes them at once' }) },
    hints: ADDS,
    async run({ overlap }, { environment }) {
      const rotated = await environment.rotateKeys({
        overlap: overlap === undefined ? undefined : unchecked(overlap),
      });
      const former = rotated.keys.slice(1).map(({ kid, retires_at }) => `${kid} until ${retires_at}`);
      const text = `${rotated.kid} signs new tokens. Also in /keys: ${former.join(', ') || 'none'}.`;
      return { text, data: { ...rotated } };
    },
  }),
];
