import type { Shell } from '@understudy/core/parts';
import type { Command } from 'commander';
import { driftCommand } from './drift-command.ts';
import { probeCommand } from './probe-command.ts';
import { pullCommand } from './pull-command.ts';
import { recordCommand } from './record-command.ts';

export const commands = ({ terminal, interruption }: Shell): Command[] =>
  [probeCommand, pullCommand, recordCommand, driftCommand].map((make) => make(terminal, interruption));
