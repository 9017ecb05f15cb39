import { Command } from 'commander';
import type { Terminal } from '../service/connect.ts';
import { ENVIRONMENTS, PROCESSES } from './environment-commands.ts';
import { FOLLOWING } from './follow-commands.ts';
import { IDP } from './idp-commands.ts';
import { addServiceCommands, commandOf, type ServiceCommand } from './service-command.ts';
import { CHANGES, CLOCK, KEYS, SNAPSHOT, STATE } from './state-commands.ts';

/** The top-level commands that call a running service. */
export function serviceCommands(terminal: Terminal): Command[] {
  const group = (name: string, description: string, members: readonly ServiceCommand[], isDefault?: string) =>
    addServiceCommands(new Command(name).description(description), members, terminal, isDefault);
  return [
    ...[...FOLLOWING, ...CHANGES, ...PROCESSES].map((each) => commandOf(each, terminal)),
    group('clock', 'show and move the clock of an environment', CLOCK, 'show'),
    group('keys', 'rotate the key that signs tokens', KEYS),
    group('state', 'show and change the rows of an environment', STATE),
    group('idp', 'let an identity provider push people and groups over SCIM', IDP, 'list'),
    group('snapshot', 'save the state of an environment and go back to it', SNAPSHOT),
  ];
}

export const addEnvironmentCommands = (group: Command, terminal: Terminal) =>
  addServiceCommands(group, ENVIRONMENTS, terminal);
