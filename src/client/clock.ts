import type { Duration } from '../contract/name-patterns.ts';
import { checkOptions, type NamesOf } from './options.ts';
import type { Transport } from './transport.ts';
import { durationText, type CallOptions, type Clock, type ClockSetting, type Timeline } from './types.ts';

export class ClockControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(options?: CallOptions): Promise<Clock> {
    return this.#transport.call('Control_GetClock', {}, options);
  }

  /** What is due and what expired: invitations, sessions, tokens, codes, links, retries. */
  timeline(options: TimelineOptions = {}): Promise<Timeline> {
    const { limit, ...rest } = options;
    return this.#transport.call('Control_GetTimeline', { query: limit === undefined ? {} : { limit } }, rest);
  }

  /**
   * Takes a setting such as `{ mode: 'offset', offset: '-14d' }`. Resolves when everything that is now due
   * has happened.
   */
  async set(setting: ClockSetting, options?: CallOptions): Promise<Clock> {
    checkOptions('clock.set', setting, SETTING);
    return this.#transport.call('Control_SetClock', { body: setting }, options);
  }

  /** Stops the clock at an instant, or at the current time. */
  freeze(at?: string | Date, options?: CallOptions): Promise<Clock> {
    const instant = at instanceof Date ? at.toISOString() : at;
    return this.set({ mode: 'frozen', ...(instant !== undefined && { at: instant }) }, options);
  }

  /** Moves the clock by a duration such as `25h`. Resolves when everything that is now due has happened. */
  advance(by: Duration, options?: CallOptions): Promise<Clock> {
    return this.#transport.call('Control_AdvanceClock', { body: { by: durationText(by) } }, options);
  }
}

export interface TimelineOptions extends CallOptions {
  /** The most items of `due`, and the most of `expired`. Default: 100. */
  limit?: number;
}

const SETTING: NamesOf<ClockSetting> = { mode: true, at: true, offset: true };
