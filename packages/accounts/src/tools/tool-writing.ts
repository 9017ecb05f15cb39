import type { Input } from '@understudy/core/contract/types';
import type { Env, Rows } from '@understudy/core/state/env';
import {
  alreadyExists,
  ApiError,
  failedPrecondition,
  invalidArgument,
} from '@understudy/core/contract/errors';
import { given, isObject } from '@understudy/text/json';
import { shortened, suggest } from '@understudy/text/suggestion';
import type { Operations } from '@understudy/core/operations/handler';
import { ACCEPT_PROVIDERS, acceptsUnknown } from '@understudy/core/operations/connections/provider-tools';
import { viewTool } from './tool-lists.ts';
import { defaultTool, versionOf } from './versions.ts';

type Tool = Rows['tools'];
type Wanted = Input<'ToolService_CreateTool'>['body'];

/** Tools that a client adds, beside those of the providers. */
export const toolWriting = {
  ToolService_CreateTool({ body }, env) {
    const { definition, provider } = checked(env, body);
    const versions = env.tools.list('name', definition.name);
    const taken = versions.find((tool) => versionOf(tool) === versionOf({ definition }));
    if (taken) throw alreadyExists(`tool ${definition.name} exists already in this version: ${taken.id}`);
    const created = env.tools.insert({
      id: env.draw.id('tol'),
      provider,
      definition,
      ...(body.metadata && { metadata: body.metadata }),
      tags: body.tags ?? [],
      is_default: versions.length === 0,
      updated_at: env.clock.iso(),
    });
    return { tool: viewTool(created) };
  },

  /** Unverified (tools/update-by-version): provider, name and version in the definition say which tool it is. */
  ToolService_UpdateTool({ body }, env) {
    env.decidedBy('tools/update-by-version');
    const { definition, provider } = checked(env, body);
    const known = env.tools
      .list('name', definition.name)
      .find((tool) => tool.provider === provider && versionOf(tool) === versionOf({ definition }));
    if (!known) throw toolNotFound(definition.name);
    refuseListed(known);
    const updated = env.tools.update(known.id, {
      definition,
      ...given({ metadata: body.metadata, tags: body.tags }),
      updated_at: env.clock.iso(),
    });
    return { tool: viewTool(updated) };
  },

  ToolService_SetToolDefault({ body }, env) {
    const { name, schema_version, tool_version } = body;
    const versions = env.tools.list('name', name);
    const wanted = versionOf({ definition: { schema_version, tool_version } });
    const chosen = versions.find((tool) => versionOf(tool) === wanted);
    if (!chosen) throw toolNotFound(`${name} ${schema_version} ${tool_version}`);
    makeDefault(env, versions, chosen);
    return { tool: viewTool(env.tools.get(chosen.id)) };
  },

  /** Unverified (tools/default-after-deletion): the newest of the other versions becomes the default one. */
  ToolService_DeleteTool({ path }, env) {
    const tool = env.tools.get(path.id);
    refuseListed(tool);
    const wasDefault = defaultTool(env, tool.definition.name)?.id === tool.id;
    env.remove('tools', tool.id);
    const others = env.tools.list('name', tool.definition.name);
    const next = others.at(-1);
    if (wasDefault && next) {
      env.decidedBy('tools/default-after-deletion');
      makeDefault(env, others, next);
    }
    return {};
  },
} satisfies Partial<Operations>;

function makeDefault(env: Env, versions: readonly Tool[], { id }: Tool): void {
  for (const tool of versions)
    if ((tool.is_default ?? false) !== (tool.id === id))
      env.tools.update(tool.id, { is_default: tool.id === id, updated_at: env.clock.iso() });
}

const toolNotFound = (name: string) =>
  new ApiError('not_found', `tool not found: ${shortened(name)}`, {
    why: { kind: 'unknown', noun: 'tool', wanted: shortened(name) },
  });

/** The server of a connection would list the tool as it was. */
function refuseListed({ id, connection_id }: Tool): void {
  if (connection_id) throw failedPrecondition(`tool ${id} is of the MCP server of ${connection_id}`);
}

const NAME = /^[a-z0-9_][\w-]{0,99}$/;

/**
 * Unverified (tools/definition-members): which members a definition must have. Without `provider`, the name begins with
 * it.
 */
function checked(env: Env, { definition: given }: Wanted): Pick<Tool, 'definition' | 'provider'> {
  const { name, description = '', input_schema = { type: 'object' } } = given;
  if (typeof name !== 'string' || !NAME.test(name))
    throw unusable('definition.name: give a name of lower-case letters, digits and underscores');
  if (typeof description !== 'string') throw unusable('definition.description is not a text');
  if (!isObject(input_schema)) throw unusable('definition.input_schema is not an object');
  const flaw = env.schemas.flaw(input_schema);
  if (flaw) throw unusable(`definition.input_schema: ${flaw}`);
  for (const member of ['display_name', 'schema_version', 'tool_version'])
    if (given[member] !== undefined && typeof given[member] !== 'string')
      throw unusable(`definition.${member} is not a text`);
  const { output_schema } = given;
  if (output_schema !== undefined && !isObject(output_schema))
    throw unusable('definition.output_schema is not an object');
  const definition = { ...given, name, description, input_schema } as Tool['definition'];
  return { definition, provider: providerOf(env, given['provider'], name) };
}

const unusable = (message: string) => invalidArgument(message).decidedBy('tools/definition-members');

function providerOf(env: Env, given: unknown, name: string): string {
  const wanted = typeof given === 'string' && given !== '' ? given : name.split('_')[0]!;
  const key = wanted.toUpperCase();
  if (env.providers.find(wanted)) return wanted;
  if (env.providers.find(key)) return key;
  if (acceptsUnknown(env)) return key;
  const known = env.providers.list().map(({ id }) => id);
  throw invalidArgument(
    `definition.provider: no provider is called ${shortened(wanted)}${suggest(key, known)}; ${ACCEPT_PROVIDERS}`,
  );
}
