import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checksumText, crc32 } from '@understudy/text/checksum';
import { LogFile } from './log-file.ts';
import { damagedAt } from './stored-json.ts';

interface DroppedNamesSettings {
  /** Whether writes survive a loss of power. */
  isSynced: boolean;
  /** Throws while nothing may be written. */
  admit: () => void;
}

/**
 * The names of dropped environments, in the file `dropped-names` of the data folder. Each line has a name, the
 * generation of its next environment and a checksum, so that tokens of the dropped one stay invalid after a restart.
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
    file.append(Buffer.from(`${name} ${next} ${checksumOf(name, next)}\n`));
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

const LINE = /^([a-z0-9-]{1,40}) ([1-9]\d{0,9})(?: ([0-9a-f]{8}))?$/;

const checksumOf = (name: string, next: number) => checksumText(crc32(`${name} ${next}`));

function readNames(file: LogFile) {
  const content = file.content();
  file.cutTo(content.lastIndexOf('\n') + 1, content.length);
  const next = new Map<string, number>();
  const lines = content.toString('utf8').split('\n').slice(0, -1);
  for (const [index, line] of lines.entries()) {
    const [, name, generation, checksum] = LINE.exec(line) ?? [];
    // Lines of earlier versions have no checksum.
    if (name === undefined || checksum !== (checksum && checksumOf(name, Number(generation))))
      throw damagedAt({ path: file.path, line: index + 1, column: 1 }, 'the line does not fit its checksum');
    next.set(name, Number(generation));
  }
  return { file, next };
}
