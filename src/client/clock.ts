import { checkOptions, type NamesOf } from './options.ts';
import type { Transport } from './transport.ts';
import { written, type CallOptions, type Clock, type ClockSetting, type Duration } from './types.ts';

/** The time of an environment. */
export class ClockControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(options?: CallOptions): Promise<Clock> {
    return this.#transport.call('Control_GetClock', {}, options);
  }

  /** Such as `{ mode: 'offset', offset: '-14d' }`. Everything due has happened when it resolves. */
  async set(setting: ClockSetting, options?: CallOptions): Promise<Clock> {
    checkOptions('clock.set', setting, SETTING);
    return this.#transport.call('Control_SetClock', { body: setting }, options);
  }

  /** Stops the time, at an instant or where it stands. */
  freeze(at?: string | Date, options?: CallOptions): Promise<Clock> {
    const instant = at instanceof Date ? at.toISOString() : at;
    return this.set({ mode: 'frozen', ...(instant !== undefined && { at: instant }) }, options);
  }

  /** Lets time pass, such as `25h`; what expires meanwhile has expired when it resolves. */
  advance(by: Duration, options?: CallOptions): Promise<Clock> {
    return this.#transport.call('Control_AdvanceClock', { body: { by: written(by) } }, options);
  }
}

const SETTING: NamesOf<ClockSetting> = { mode: true, at: true, offset: true };
