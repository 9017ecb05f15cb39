import { Option } from 'commander';
import { listed } from '@understudy/core/cli/options';
import type { IDP_COMMANDS } from '../service/idp-calls.ts';
import type { ServiceCommand } from './service-command.ts';

const idps = () => import('../service/idp-calls.ts');

const IDP_TARGET = [
  new Option(
    '--provider <name>',
    'which provider: okta, entra, google or generic (default: that of the person)',
  ),
  new Option('--organization <id>', 'the organization whose directory gets the pushes'),
  new Option('--directory <id>', 'the directory that gets the pushes'),
];
const LATE = new Option(
  '--late <duration>',
  'push after this time, such as 40m; cycle: the usual delay of the provider',
);
const NAMES = [
  new Option('--given-name <name>', 'the given name'),
  new Option('--family-name <name>', 'the family name'),
];

const idpCommand = (
  usage: string,
  description: string,
  options: readonly Option[] = [LATE],
): ServiceCommand => ({
  usage,
  description,
  options: [...options, ...IDP_TARGET],
  run: async (session, args, flags) =>
    (await idps()).actAsIdp(session, usage.split(' ')[0] as keyof typeof IDP_COMMANDS, args, flags),
});

export const IDP: readonly ServiceCommand[] = [
  {
    usage: 'list',
    description: 'list the identity providers that have pushed (the default)',
    run: async (session) => (await idps()).listIdps(session),
  },
  idpCommand('create <email>', 'create a person and the missing groups at the provider, and push them', [
    ...NAMES,
    new Option('--group <name>', 'a group for the person; repeatable').argParser(listed).default([], 'none'),
    LATE,
  ]),
  idpCommand('change <email>', 'rename a person, or change their e-mail address', [
    ...NAMES,
    new Option('--email <address>', 'the new e-mail address'),
    LATE,
  ]),
  idpCommand(
    'move <email> [groups...]',
    'put a person into these groups, and remove the person from all others',
  ),
  idpCommand('deactivate <email>', 'deactivate a person'),
  idpCommand('activate <email>', 'activate a person again'),
  idpCommand('delete <email>', 'delete a person'),
  idpCommand('recreate <email>', 'delete a person, and create another one with the same e-mail address'),
  idpCommand('offboard <email>', 'do what the provider does when a person leaves'),
  idpCommand('create-group <name>', 'create a group'),
  idpCommand('rename-group <name> <new-name>', 'rename a group'),
  idpCommand('delete-group <name>', 'delete a group'),
  idpCommand('push-all', 'push everybody and every group, even what has not changed'),
  idpCommand('sync', 'make waiting pushes now, and repeat failed ones', []),
  idpCommand(
    'patch <email> [json]',
    'send this PATCH for a person; without JSON, one that breaks the SCIM standard',
    [],
  ),
];
