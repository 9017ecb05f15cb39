import { Command } from 'commander';
import type { Shell } from '@understudy/core/parts';
import { envCommand } from './env-command.ts';
import { PROCESSES } from './environment-commands.ts';
import { FOLLOWING } from './follow-commands.ts';
import { IDP } from './idp-commands.ts';
import { fixturesCommand, typesCommand } from './project-commands.ts';
import { reportCommands } from './report-commands.ts';
import { scenariosCommand } from './scenario-commands.ts';
import { addServiceCommands, commandOf, type ServiceCommand } from './service-command.ts';
import { CHANGES, CLOCK, KEYS, SNAPSHOT, STATE } from './state-commands.ts';

export function commands({ terminal }: Pick<Shell, 'terminal'>): Command[] {
  const group = (name: string, description: string, members: readonly ServiceCommand[], isDefault?: string) =>
    addServiceCommands(new Command(name).description(description), members, terminal, isDefault);
  return [
    scenariosCommand(terminal),
    fixturesCommand(terminal),
    typesCommand(terminal),
    ...reportCommands(terminal),
    envCommand(terminal),
    ...[...FOLLOWING, ...CHANGES, ...PROCESSES].map((each) => commandOf(each, terminal)),
    group('clock', 'show and move the clock of an environment', CLOCK, 'show'),
    group('keys', 'rotate the key that signs tokens', KEYS),
    group('state', 'show and change the rows of an environment', STATE),
    group('idp', 'let an identity provider push people and groups over SCIM', IDP, 'list'),
    group('snapshot', 'save the state of an environment and go back to it', SNAPSHOT),
  ];
}
