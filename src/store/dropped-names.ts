import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LogFile } from './log-file.ts';

interface DroppedNamesSettings {
  /** Whether writes survive a loss of power. */
  isSynced: boolean;
  /** Throws while nothing may be written. */
  admit: () => void;
}

/**
 * The names of dropped environments, in the file `dropped-names` of the data folder. Each line has a name and the
 * generation of its next environment, so that tokens of the dropped one stay invalid after a restart.
 */
export class DroppedNames {
  readonly #path: string;
  readonly #settings: DroppedNamesSettings;
  #read: { file: LogFile; next: Map<string, number> } | undefined;

  constructor(folder: string, settings: DroppedNamesSettings) {
    this.#path = join(folder, 'dropped-names');
    this.#settings = settings;
  }

  /** How many environments had the name before. */
  generation(name: string): number {
    return this.#read || existsSync(this.#path) ? (this.#names.next.get(name) ?? 0) : 0;
  }

  add(name: string, next: number): void {
    this.#settings.admit();
    const { file, next: names } = this.#names;
    if (next <= (names.get(name) ?? 0)) return;
    file.append(Buffer.from(`${name} ${next}\n`));
    names.set(name, next);
  }

  close(): void {
    this.#read?.file.close();
  }

  /** Most data folders have no environment but `default`, so the file is made when it is needed. */
  get #names() {
    return (this.#read ??= readNames(new LogFile(this.#path, this.#settings.isSynced)));
  }
}

function readNames(file: LogFile) {
  const content = file.content();
  file.cutTo(content.lastIndexOf('\n') + 1, content.length);
  const next = new Map<string, number>();
  for (const line of content.toString('utf8').split('\n')) {
    const [name = '', generation = ''] = line.split(' ');
    if (/^[1-9]\d{0,9}$/.test(generation)) next.set(name, Number(generation));
  }
  return { file, next };
}
