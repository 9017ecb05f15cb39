import { spawn } from 'node:child_process';
import type { Terminal } from './connect.ts';
import { UsageError } from '../explain.ts';

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an http or https address with the program of the operating system. `BROWSER` names another program. */
export function openInBrowser(address: string, { variables, platform, err }: Terminal): void {
  if (!/^https?:/.test(address)) throw new UsageError(`${address} is not a web address`);
  const named = variables['BROWSER'];
  const [program, ...args] = named ? [named] : (OPENERS[platform] ?? ['xdg-open']);
  const child = spawn(program!, [...args, address], { detached: true, stdio: 'ignore' });
  child.on('error', ({ message }) => err(`understudy: cannot open ${address}: ${message}\n`));
  child.unref();
}
