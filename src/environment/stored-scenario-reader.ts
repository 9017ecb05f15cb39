import { ScenarioError } from '../scenarios/complaints.ts';
import { nameOfFile } from '../scenarios/composition.ts';
import type { ScenarioCopy } from '../scenarios/scenario-copy.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { revive, type RevivedScenarios, type StoredScenarios } from '../scenarios/stored-scenarios.ts';

interface StoredScenarioReaderSettings {
  environment: string;
  read: (copy: ScenarioCopy) => Promise<Scenario>;
  /** Prints a warning. */
  warn: (line: string) => void;
}

/** Reads the scenarios that an earlier process has stored. One that is no longer valid is left out, with a warning. */
export class StoredScenarioReader {
  readonly #settings: StoredScenarioReaderSettings;

  constructor(settings: StoredScenarioReaderSettings) {
    this.#settings = settings;
  }

  read(stored: StoredScenarios = {}): Promise<RevivedScenarios> {
    return revive(stored, (copy) => this.#read(copy));
  }

  async #read(copy: ScenarioCopy): Promise<Scenario | undefined> {
    const { environment, read, warn } = this.#settings;
    try {
      return await read(copy);
    } catch (thrown) {
      if (!(thrown instanceof ScenarioError)) throw thrown;
      const name = copy.origin?.name ?? nameOfFile(copy.file);
      warn(`environment ${environment} continues without scenario ${name}: ${thrown.message}`);
      return undefined;
    }
  }
}
