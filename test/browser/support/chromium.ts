import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address at which the workers connect to the browser. */
    browser: string;
  }
}

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

const ARGUMENTS = [
  // The sandbox does not work for root, and the browser loads only pages of the simulator here.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-software-rasterizer',
  // A foreign name that resolves to this machine, as in an attack by DNS rebinding.
  '--host-resolver-rules=MAP evil.example 127.0.0.1',
];

/** Starts one browser for all tests. Each test has windows of its own. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ executablePath: findChromium(), args: ARGUMENTS });
  provide('browser', server.wsEndpoint());
  return () => server.close();
}
