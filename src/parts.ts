import type { RequestHandler } from 'express';
import type { Controls } from './control/handler.ts';

/** The packages that add something, one line for each. Without a package and its line, everything else works. */
const PACKAGES: readonly (() => Promise<{ part: Part }>)[] = [() => import('@understudy/dashboard/part')];

/** What a package adds. No other file of src/ imports these packages. */
export interface Part {
  /** Pages below `/_control/`. Other calls go on to the control API. */
  pages?: (controls: Controls) => RequestHandler;
}

export const loadParts = async (): Promise<Part[]> =>
  (await Promise.all(PACKAGES.map((load) => load()))).map(({ part }) => part);
