import { html, type Html } from '../../pages/html.ts';
import type { UiEvent } from './ui-events.ts';

/** Runs in the browser. What it says is in the markup, so that the script is the same on every page. */
const SCRIPT = `
const { events, later, remaining } = document.getElementById('signals').dataset;
const tell = (event) => { if (parent !== window) parent.postMessage(event, '*'); };
const wait = (milliseconds, act) => setTimeout(act, Math.max(milliseconds, 1000));
JSON.parse(events).forEach(tell);
if (remaining) {
  const warning = JSON.parse(later);
  if (warning) wait(remaining - 300000, () => tell(warning));
  wait(Number(remaining) + 1000, () => location.replace('/portal'));
}`;

interface Countdown {
  /** Milliseconds that the session goes on for; then the page goes where that is said. */
  remaining: number;
  /** Told five minutes before the end. */
  warning?: UiEvent | undefined;
}

/** The script of a page of the portal, and the part of the markup that it reads. */
export function signals(events: readonly UiEvent[], countdown?: Countdown): { script: string; markup: Html } {
  const { remaining, warning } = countdown ?? {};
  const markup = html`<div
    id="signals"
    hidden
    data-events="${JSON.stringify(events)}"
    data-later="${JSON.stringify(warning ?? null)}"
    data-remaining="${remaining ?? ''}"
  ></div>`;
  return { script: SCRIPT, markup };
}
