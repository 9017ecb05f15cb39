import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suggestAmong, shortened } from '@understudy/text/suggestion';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { ToolError } from './service-address.ts';
import { describeOperation } from './operation-search.ts';
import type { ServiceAccess, ToolContext } from './service.ts';
import { statusOf } from './status.ts';
import { percentDecoded } from '@understudy/text/addresses';

interface AgentResource {
  uri: string;
  name: string;
  title: string;
  description?: string;
  mimeType: string;
}

interface AgentResourceTemplate extends Omit<AgentResource, 'uri'> {
  uriTemplate: string;
}

interface ResourceText {
  uri: string;
  mimeType: string;
  text: string;
}

const MARKDOWN = 'text/markdown';
const YAML = 'application/yaml';
const JSON_TYPE = 'application/json';

export const RESOURCE_TEMPLATES: readonly AgentResourceTemplate[] = [
  {
    uriTemplate: 'understudy://operations/{operation}',
    name: 'operation',
    title: 'An operation of the API',
    description: 'What an operation takes and answers, such as OrganizationService_CreateOrganization.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'understudy://calls/{id}',
    name: 'call',
    title: 'A call of the journal',
    description: 'The request and the answer of a call, and why it was answered so.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'understudy://scenarios/{name}',
    name: 'scenario',
    title: 'A scenario file',
    mimeType: YAML,
  },
  {
    uriTemplate: 'understudy://docs/{page}',
    name: 'docs',
    title: 'A page of the documentation',
    mimeType: MARKDOWN,
  },
];

const STATUS = 'understudy://status';
const SERVICE = 'understudy://openapi/service';
const CONTROL = 'understudy://openapi/control';

const FIXED: readonly AgentResource[] = [
  {
    uri: STATUS,
    name: 'status',
    title: 'The current state',
    description: 'Address, credentials, clock, loaded scenarios, numbers of rows, latest calls.',
    mimeType: 'text/plain',
  },
  {
    uri: SERVICE,
    name: 'openapi-service',
    title: 'OpenAPI document of the simulated API',
    description: 'More than 1 MB; understudy://operations/{operation} has one operation.',
    mimeType: JSON_TYPE,
  },
  {
    uri: CONTROL,
    name: 'openapi-control',
    title: 'OpenAPI document of the control API',
    mimeType: JSON_TYPE,
  },
];

/** What a resource may need of the service. Documentation and OpenAPI documents need no running service. */
export interface ResourceSource {
  documents: ServiceAccess['documents'];
  /** Throws ToolError if no service answers. */
  context(): Promise<ToolContext>;
}

/** Without a running service, the scenarios are missing. */
export async function listResources(source: ResourceSource): Promise<AgentResource[]> {
  const pages = new DocPages().list();
  return [
    ...FIXED,
    ...pages.map(({ name, title }) => ({
      uri: `understudy://docs/${name}`,
      name,
      title,
      mimeType: MARKDOWN,
    })),
    ...(await scenarioResources(source)),
  ];
}

async function scenarioResources(source: ResourceSource): Promise<AgentResource[]> {
  const context = await source.context().catch((thrown: unknown) => {
    if (thrown instanceof ToolError) return undefined;
    throw thrown;
  });
  const { available } = (await context?.environment.scenarios.list()) ?? { available: [] };
  return available.map(({ name, description }) => ({
    uri: `understudy://scenarios/${name}`,
    name,
    title: `Scenario ${name}`,
    description,
    mimeType: YAML,
  }));
}

/** Throws ToolError for a resource that does not exist. */
export async function readResource(uri: string, source: ResourceSource): Promise<ResourceText> {
  const { documents } = source;
  if (uri === STATUS)
    return { uri, mimeType: 'text/plain', text: (await statusOf(await source.context())).text };
  if (uri === SERVICE) return jsonText(uri, documents.service());
  if (uri === CONTROL) return jsonText(uri, documents.control());
  const [, kind = '', encoded = ''] = /^understudy:\/\/(\w+)\/([^/]+)$/.exec(uri) ?? [];
  // A malformed escape is part of the name, which is then unknown.
  const name = percentDecoded(encoded) ?? encoded;
  if (kind === 'docs') return { uri, mimeType: MARKDOWN, text: new DocPages().read(name) };
  if (kind === 'operations') return jsonText(uri, describeOperation(documents.service(), name));
  if (kind !== 'scenarios' && kind !== 'calls')
    throw new ToolError(`there is no resource ${shortened(uri)}${suggestAmong(uri, KNOWN)}`);
  const { environment } = await source.context();
  return kind === 'calls'
    ? jsonText(uri, await environment.requests.get(name))
    : { uri, mimeType: YAML, text: (await environment.scenarios.file(name)).text };
}

const KNOWN = [...FIXED.map(({ uri }) => uri), ...RESOURCE_TEMPLATES.map(({ uriTemplate }) => uriTemplate)];

const jsonText = (uri: string, value: object): ResourceText => ({
  uri,
  mimeType: JSON_TYPE,
  text: JSON.stringify(value),
});

const FOLDER = join(PACKAGE_ROOT, 'docs');
const PAGE = /^([\w-]+)\.md$/;

interface DocPage {
  name: string;
  title: string;
}

/** The pages of the documentation, as Markdown. Lists such as that of the settings are `reference-settings`. */
export class DocPages {
  list(): DocPage[] {
    return [...this.#files()].map(([name, file]) => ({
      name,
      title: /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? name,
    }));
  }

  /** Throws ToolError with the nearest page. */
  read(name: string): string {
    const files = this.#files();
    const file = files.get(name);
    if (file !== undefined) return readFileSync(file, 'utf8');
    throw new ToolError(`page: there is no page ${shortened(name)}${suggestAmong(name, [...files.keys()])}`);
  }

  #files(): Map<string, string> {
    return new Map([...pagesIn(FOLDER, ''), ...pagesIn(join(FOLDER, 'reference'), 'reference-')]);
  }
}

const pagesIn = (folder: string, prefix: string): [name: string, file: string][] =>
  existsSync(folder)
    ? readdirSync(folder).flatMap((file) => {
        const [, name] = PAGE.exec(file) ?? [];
        return name === undefined ? [] : [[prefix + name, join(folder, file)] as [string, string]];
      })
    : [];
