import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../files.ts';
import { suggestAmong } from '../text/suggestion.ts';
import { shortened } from '../text/shortened.ts';
import { ToolError } from './address.ts';

const FOLDER = join(PACKAGE_ROOT, 'docs');
const PAGE = /^([\w-]+)\.md$/;

export interface DocPage {
  name: string;
  title: string;
}

/** The pages of the documentation, as Markdown. */
export class DocPages {
  list(): DocPage[] {
    return this.#names().map((name) => ({ name, title: /^# (.+)$/m.exec(this.read(name))?.[1] ?? name }));
  }

  /** Throws ToolError with the nearest page. */
  read(name: string): string {
    const names = this.#names();
    if (names.includes(name)) return readFileSync(join(FOLDER, `${name}.md`), 'utf8');
    throw new ToolError(`page: there is no page ${shortened(name)}${suggestAmong(name, names)}`);
  }

  #names(): string[] {
    if (!existsSync(FOLDER)) return [];
    return readdirSync(FOLDER).flatMap((file) => PAGE.exec(file)?.[1] ?? []);
  }
}
