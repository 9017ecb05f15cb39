import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of the browser: `CHROMIUM_PATH`, or the first of its usual names on the PATH. */
export function findChromium({ CHROMIUM_PATH, PATH = '' } = process.env): string {
  if (CHROMIUM_PATH) {
    if (existsSync(CHROMIUM_PATH)) return CHROMIUM_PATH;
    throw new Error(`CHROMIUM_PATH is ${CHROMIUM_PATH}, and no file is there`);
  }
  const folders = PATH.split(delimiter).filter(Boolean);
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync);
  if (found) return found;
  throw new Error(
    `these tests need Chromium, and none of ${NAMES.join(', ')} is on the PATH: install it (Debian: apt-get ` +
      'install chromium), or say where it is in CHROMIUM_PATH',
  );
}

/** Runs once before the first test, so that a missing browser is reported at once. */
export function setup(): void {
  findChromium();
}
