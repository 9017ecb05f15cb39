/** What the form of a new environment holds. */
export interface Wanted {
  name: string;
  fixture: string;
  seed: string;
  mode: 'real' | 'frozen' | 'offset';
  at: string;
  offset: string;
  /** Empty: as the server was started. */
  strict: string;
  persist: boolean;
  scenarios: readonly string[];
}

export const START: Wanted = {
  name: '',
  fixture: '',
  seed: '',
  mode: 'real',
  at: '',
  offset: '',
  strict: '',
  persist: false,
  scenarios: [],
};

/** The body of the call. Values that are not numbers stay as they are, so that the server names them. */
export function settingsOf({ name, fixture, seed, strict, persist, scenarios, ...clock }: Wanted): object {
  return {
    ...(name && { name }),
    ...(fixture && { fixture }),
    ...(seed && { seed: Number.isNaN(Number(seed)) ? seed : Number(seed) }),
    ...clockOf(clock),
    ...(strict && { strict: strict === 'true' }),
    ...(persist && { persist }),
    ...(scenarios.length > 0 && { scenarios: scenarios.map((each) => ({ name: each })) }),
  };
}

function clockOf({ mode, at, offset }: Pick<Wanted, 'mode' | 'at' | 'offset'>): object {
  if (mode === 'real') return {};
  if (mode === 'frozen') return { clock: { mode, ...(at && { at }) } };
  return { clock: { mode, offset } };
}
