import type { WhyKind } from '../contract/cause.ts';
import type { Contract } from '../contract/contract.ts';
import type { Environment } from '../environment/environment.ts';
import type { Environments } from '../environment/environments.ts';
import type { Entry } from '../journal/entry.ts';
import type { RuleId } from '../contract/rule-ids.gen.ts';
import { writtenDuration } from '@understudy/text/duration';
import type { History } from './history.ts';

/** What an answer rests on. */
export interface Fact {
  text: string;
  /** The id of a call. */
  call?: string;
  /** A row, as `collection/id`. */
  row?: string;
}

/** A call that would help, to the service or to the control API. */
export interface Remedy {
  text: string;
  method: string;
  path: string;
  body?: unknown;
  /** The environment of the call, if it is another one. */
  environment?: string;
}

/** Why a call got its answer. */
export interface Why {
  kind: WhyKind;
  /** One sentence. */
  summary: string;
  because: Fact[];
  remedies: Remedy[];
  /** Rules that no source of the service states, and that decided the answer. */
  guessed: readonly RuleId[];
}

/** What an explanation may look at. */
export interface Place {
  environment: Environment;
  environments: Pick<Environments, 'list'>;
  history: History;
  /** That of the service. */
  contract: Contract;
}

/** A part of an explanation. */
export interface Reasons {
  summary?: string;
  because?: Fact[];
  remedies?: Remedy[];
}

/** As a sentence: a message of the wire has no capital and no full stop. */
export function sentence(text: string): string {
  const ended = /[.!?…]$/.test(text) ? text : `${text}.`;
  // A message may begin with a name of the contract, which stays as it is.
  return /^[a-z]+[ ,]/.test(ended) ? ended[0]!.toUpperCase() + ended.slice(1) : ended;
}

/** Such as `3s before`, or `at the same time`. */
export function distance(from: Entry, to: Entry): string {
  const span = to.time - from.time;
  if (Math.abs(span) < 1000) return span < 0 ? 'just after' : 'just before';
  return `${writtenDuration(Math.abs(span))} ${span < 0 ? 'after' : 'before'}`;
}

/** An ISO time without its zero milliseconds. */
export function plainTime(time: number | string): string {
  const date = new Date(time);
  // A row may hold any text.
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString().replace('.000Z', 'Z');
}
