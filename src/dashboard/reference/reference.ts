import { ControlClient, ControlError } from '../../client/control.ts';
import { pageOf, sentenceOf, wholeEvidence, type Evidence } from '../../client/evidence.ts';
import { ownToken } from '../session.ts';

/** The dashboard keeps the control token of the server under this name, in this tab only. */
const CONTROL_TOKEN = 'understudy-control-token';
/** Where the viewer looks for the tokens of a document, by the names of its security schemes. */
const VIEWER_TOKENS = 'TryIt_securitySchemeValues';

const byId = (id: string) => document.getElementById(id)!;
const asked = new URLSearchParams(location.search);
const environment = asked.get('environment') ?? 'default';
const kind = asked.get('document') === 'control' ? 'control' : 'service';
const controlToken = sessionStorage.getItem(CONTROL_TOKEN) ?? undefined;
const client = new ControlClient(location.origin, { token: controlToken });

interface Viewer extends HTMLElement {
  apiDescriptionDocument: string;
}

async function open(): Promise<void> {
  say('Loading…');
  fillIn(await client.environments.list({ resting: 100 }));
  const own = await client.environment(environment).get();
  const token = await ownToken(own);
  const description = kind === 'control' ? await client.document() : await serviceDocument();
  keepInThisTab({ bearer: token, ...(controlToken !== undefined && { control: controlToken }) });
  await loadViewer();
  // The document calls the control token optional. Here it is marked as required, so that the viewer fills it in.
  const security = kind === 'control' && controlToken !== undefined && { security: [{ control: [] }] };
  show({ ...description, ...security, servers: [{ url: location.origin }] });
  say(kind === 'service' ? `“Send API Request” has a token of the environment ${environment}.` : '');
}

async function serviceDocument(): Promise<object> {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`/openapi.json answers ${response.status}`);
  return withEvidence((await response.json()) as Description);
}

interface Description {
  paths: Record<
    string,
    Record<string, { description?: string; 'x-evidence'?: Parameters<typeof wholeEvidence>[1] }>
  >;
}

/** The viewer shows descriptions only. */
function withEvidence(description: Description): object {
  for (const operation of Object.values(description.paths).flatMap((item) => Object.values(item))) {
    const evidence = operation['x-evidence'];
    if (!evidence) continue;
    const note = noteOf(wholeEvidence(description, evidence));
    operation.description = [operation.description ?? '', note].join('\n\n');
  }
  return description;
}

const noteOf = ({ state, basis, unknown }: Evidence): string =>
  [
    `**Evidence: ${state}.** ${basis}`,
    ...unknown.map((each) => `- ${sentenceOf(each)} [${each.id}](${pageOf(each)})`),
  ].join('\n\n');

/** The viewer keeps tokens in `localStorage`, which outlives the tab: it gets the storage of the tab instead. */
function keepInThisTab(tokens: Record<string, string>): void {
  Object.defineProperty(window, 'localStorage', { value: sessionStorage });
  sessionStorage.setItem(VIEWER_TOKENS, JSON.stringify(tokens));
}

function loadViewer(): Promise<void> {
  const script = document.createElement('script');
  // Its icons must not bring their own style element: the policy refuses it, and reference.css has their rules.
  script.dataset['autoAddCss'] = 'false';
  script.src = byId('viewer').dataset['script']!;
  return new Promise((resolve, reject) => {
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error('The viewer does not load.')));
    document.head.prepend(script);
  });
}

function show(description: object): void {
  const viewer = document.createElement('elements-api') as Viewer;
  for (const [name, value] of Object.entries({ router: 'hash', layout: 'responsive' }))
    viewer.setAttribute(name, value);
  viewer.setAttribute('tryItCredentialsPolicy', 'same-origin');
  viewer.apiDescriptionDocument = JSON.stringify(description);
  repair(viewer);
  byId('viewer').replaceChildren(viewer);
}

function fillIn(environments: readonly { name: string }[]): void {
  const choice = byId('environment') as HTMLSelectElement;
  const names = environments.map(({ name }) => name);
  const all = names.includes(environment) ? names : [environment, ...names];
  choice.replaceChildren(...all.map((name) => new Option(name, name, false, name === environment)));
}

function say(text: string): void {
  byId('said').textContent = text;
}

function failed(thrown: unknown): void {
  const isLocked = thrown instanceof ControlError && thrown.status === 401;
  say(isLocked ? 'The server wants its control token.' : (thrown as Error).message.split('\n')[0]!);
  byId('unlock').hidden = !isLocked;
}

/**
 * Gives elements of the viewer the names and roles that it leaves out: a screen reader needs them. The viewer makes
 * elements anew at any time, so all are looked at after each change.
 */
function repair(viewer: HTMLElement): void {
  const run = () => {
    for (const [selector, mend] of REPAIRS)
      for (const each of viewer.querySelectorAll<HTMLElement>(selector)) mend(each);
  };
  const watched = ['aria-expanded', 'aria-label', 'aria-labelledby', 'role'];
  const options = { subtree: true, childList: true, characterData: true, attributeFilter: watched };
  new MutationObserver(run).observe(viewer, options);
  viewer.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if ((key !== 'Enter' && key !== ' ') || !(target as HTMLElement).matches(ARROW)) return;
    event.preventDefault();
    (target as HTMLElement).click();
  });
}

/** Shows and hides the members of an object. */
const ARROW = '[role=button]:not(.sl-panel__titlebar)';

const REPAIRS: readonly (readonly [selector: string, mend: (each: HTMLElement) => void])[] = [
  ['[role=heading]:not([aria-level])', (each) => set(each, 'aria-level', '2')],
  // The contents of a panel are no landmark: a page has dozens.
  ['.sl-panel [role=region]', (each) => set(each, 'role', 'group')],
  ['.sl-panel__titlebar:has(button)', openTitle],
  [ARROW, nameArrow],
  ['button:not([aria-label])', nameIcon],
  ['button[aria-label]', nameWithText],
  ['textarea:not([aria-label])', (each) => set(each, 'aria-label', 'Body of the request')],
  ['.sl-code-viewer__scroller, .sl-overflow-x-auto', reachByKeyboard],
];

/** Setting an attribute again counts as a change, which would call this function again without end. */
function set(each: HTMLElement, name: string, value: string): void {
  if (each.getAttribute(name) !== value) each.setAttribute(name, value);
}

const textOf = (each: Element) => (each.textContent ?? '').replaceAll(/\s+/g, ' ').trim();

/** A button cannot hold another button: the title of a panel with a menu is a group. Enter still folds the panel. */
function openTitle(each: HTMLElement): void {
  const expanded = each.getAttribute('aria-expanded');
  set(each, 'role', 'group');
  if (expanded === null) return;
  each.removeAttribute('aria-expanded');
  set(each, 'aria-label', `${textOf(each)}: press Enter to ${expanded === 'true' ? 'hide' : 'show'} it`);
}

function nameArrow(each: HTMLElement): void {
  const member = each.parentElement?.querySelector('[data-test^=property-name]');
  set(each, 'tabindex', '0');
  set(each, 'aria-label', `Show or hide ${member ? textOf(member) : 'the members'}`);
}

const ICONS: Record<string, string> = { bars: 'Show the list of operations', copy: 'Copy', xmark: 'Close' };

function nameIcon(each: HTMLElement): void {
  const icon = each.querySelector('svg')?.dataset['icon'];
  if (icon !== undefined && textOf(each) === '') set(each, 'aria-label', ICONS[icon] ?? icon);
}

/** Users of voice control say the text on a button, so the button's name must contain that text. */
function nameWithText(each: HTMLElement): void {
  const text = textOf(each);
  if (text === '') return;
  const name = (each.dataset['name'] ??= each.getAttribute('aria-label')!);
  set(each, 'aria-label', `${name}: ${text}`);
  each.removeAttribute('aria-labelledby');
}

function reachByKeyboard(each: HTMLElement): void {
  set(each, 'tabindex', '0');
  if (each.getAttribute('role') === null) set(each, 'role', 'group');
  if (each.getAttribute('aria-label') === null) set(each, 'aria-label', 'Code');
}

/** Another document or environment is another address, which can be bookmarked. */
for (const form of document.querySelectorAll('form'))
  form.addEventListener('submit', (event) => event.preventDefault());
(byId('document') as HTMLSelectElement).value = kind;
byId('choices').addEventListener('change', () => {
  const chosen = new FormData(byId('choices') as HTMLFormElement) as Iterable<[string, string]>;
  location.assign(`?${new URLSearchParams([...chosen])}`);
});
byId('unlock').addEventListener('submit', () => {
  sessionStorage.setItem(CONTROL_TOKEN, (byId('token') as HTMLInputElement).value);
  location.reload();
});

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => (document.documentElement.dataset['theme'] = dark.matches ? 'dark' : 'light');
dark.addEventListener('change', follow);
follow();
open().catch(failed);
