import type { Answer } from './answer-comparison.ts';

/** A request as it is sent to Understudy. */
export interface SentRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Of an RPC, in the JSON of protobuf. */
  messages?: unknown[];
}

/** An event as a receiver gets it. */
export interface ReceivedEvent {
  type: string;
  payload: unknown;
}

/** The Understudy on which a recording is played again. */
export interface Stage {
  url: string;
  clientId: string;
  clientSecret: string;
  /** An access token of the client. */
  token(): Promise<string>;
  send(request: SentRequest): Promise<Answer>;
  sendRpc(request: SentRequest): Promise<Answer>;
  /** Sets the clock, in milliseconds; absent: its clock cannot be set. */
  setTime?(at: number): Promise<void>;
  /** The events so far, oldest first; absent: they cannot be seen. */
  events?(): Promise<ReceivedEvent[]>;
}
