import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectNoMarkup, MARKUP, openDashboard } from './support/dashboard.ts';
import { flawsOf } from './support/looks.ts';
import { setStage, type Stage } from './support/stage.ts';

const DOWN = 'name: down\nrules:\n  - { on: OrganizationService_*, reply: { error: unavailable } }\n';

/** A text, and the completions at its end. */
const COMPLETIONS = [
  ['name: x\nrules:\n  - on: "*"\n    pro', 'probability'],
  ['name: x\nrules:\n  - on: UserService_Get', 'UserService_GetUser'],
  ['name: x\nrules:\n  - on: [UserService_Get', 'UserService_GetUser'],
  ['name: x\nrules:\n  - on: "*"\n    when: { que', 'query'],
  ['name: x\nrules:\n  - on: "*"\n    reply: { error: rate', 'rate_limited'],
  ['name: x\nrules:\n  - on: "*"\n    reply:\n      status: 40', '404'],
  ['name: x\nstate:\n  memb', 'memberships'],
  ['name: x\nstate:\n  memberships:\n    - match: { org', 'organization_id'],
  ['name: x\nstate:\n  memberships:\n    - match: { organization_id: org_1', 'org_10000000000000001'],
] as const;

const editor = (page: Page) => page.getByRole('textbox', { name: 'Scenario (YAML or JSON)' });

async function openEditor(stage: Stage, options = {}): Promise<Page> {
  const page = await openDashboard(stage, 'default/scenarios', options);
  await page.getByRole('button', { name: 'Open the editor' }).click();
  await editor(page).waitFor();
  return page;
}

/** Replaces the text, as by pasting. */
async function write(page: Page, text: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

/** Asks for completions until one of them is `wanted`: operations and ids come from the server, perhaps after the first try. */
async function complete(page: Page, wanted: string): Promise<void> {
  const option = page.getByRole('option', { name: new RegExp(`^${wanted}`) }).first();
  await expect
    .poll(
      async () => {
        await editor(page).press('Control+ ');
        return option.isVisible();
      },
      { timeout: 60_000, interval: 300, message: wanted },
    )
    .toBe(true);
}

function folder(files: Record<string, string> = {}): string {
  const made = mkdtempSync(join(tmpdir(), 'dashboard-scenarios-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text);
  return made;
}

describe('the scenario editor', () => {
  it('reads no more rows than it proposes', async () => {
    const page = await openDashboard(await setStage(), 'default/scenarios');
    const read: URL[] = [];
    page.on('request', (request) => read.push(new URL(request.url())));

    await page.getByRole('button', { name: 'Open the editor' }).click();
    await editor(page).waitFor();
    await write(page, 'name: x\nstate:\n  memberships:\n    - match: { organization_id: org_1');
    await complete(page, 'org_10000000000000001');

    const lists = read.filter(
      ({ pathname }) => /\/state(\/[a-z_]+)?$/.test(pathname) && !pathname.endsWith('/counts'),
    );
    expect(lists.length).toBeGreaterThan(0);
    expect(lists.filter(({ searchParams }) => !searchParams.has('limit'))).toEqual([]);
  });

  it('is fetched when it is opened, not before', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/scenarios');
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(request.url()));
    await page.getByText('Load a scenario').waitFor();
    expect(fetched.filter((url) => url.endsWith('.js'))).toEqual([]);

    await page.getByRole('button', { name: 'Open the editor' }).click();
    await editor(page).waitFor();

    expect(fetched.filter((url) => url.endsWith('.js')).length).toBeGreaterThan(0);
  });

  it('names line and column of a mistake while it is typed', async () => {
    const stage = await setStage();
    const page = await openEditor(stage);

    await write(page, DOWN.replace('unavailable', 'unavailible'));

    await page.getByText('line 3, column 50: rules[0].reply.error').waitFor();
    await page.locator('.cm-lintRange-error', { hasText: 'unavailible' }).waitFor();
    await write(page, DOWN);
    await page.getByText('line 3, column 50').waitFor({ state: 'detached' });
    expect(await stage.control('GET', '/scenarios')).toMatchObject({ loaded: [] });
  });

  it('completes members, operations, errors, statuses, collections and ids of rows', async () => {
    const page = await openEditor(await setStage());
    for (const [text, wanted] of COMPLETIONS) {
      await write(page, text);
      await editor(page).press('Control+End');
      await complete(page, wanted);
      await page.keyboard.press('Escape');
    }
  });

  it('takes text that is typed over coloured text, with brackets around it', async () => {
    const page = await openEditor(await setStage());
    await write(page, DOWN);

    await editor(page).press('Control+Home');
    for (let at = 0; at < 'name: '.length; at += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+End');
    await page.keyboard.type('out');
    await page.keyboard.press('Control+Shift+ArrowLeft');
    await page.keyboard.type('"');

    await editor(page).getByText('name: "out"').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('name: new');
    await expect.poll(() => editor(page).innerText()).toBe('name: new');
  });

  it('has no flaw where its text or its suggestions are longer than they can be shown', async () => {
    // axe-core itself adds inline styles where it looks into an editor.
    const page = await openEditor(await setStage(), { bypassCSP: true });
    await write(page, `name: long\n${'# more\n'.repeat(80)}`);
    expect(await flawsOf(page, 'editor with a long text')).toEqual([]);

    await write(page, 'name: x\nrules:\n  - on: UserService_');
    await editor(page).press('Control+End');
    await complete(page, 'UserService_GetUser');
    expect(await flawsOf(page, 'editor with suggestions')).toEqual([]);
  });

  it('loads what is written, and the next call fails', async () => {
    const stage = await setStage();
    const page = await openEditor(stage);

    await write(page, DOWN);
    await page.getByRole('button', { name: 'Load it' }).click();
    await page.getByRole('button', { name: 'Unload down' }).waitFor();

    await expect(stage.api('GET', '/api/v1/organizations')).rejects.toThrow('503');
  });

  it('saves a file, asks before it replaces it, and opens it again', async () => {
    const scenarios = folder();
    const stage = await setStage({ config: { scenarioFolders: [scenarios] } });
    const page = await openEditor(stage);
    await write(page, DOWN);
    await page.getByRole('button', { name: 'Save as a file' }).click();
    await page.getByText(`Saved as ${join(scenarios, 'down.yaml')}`).waitFor();

    await write(page, DOWN.replace('unavailable', 'internal'));
    await page.getByRole('button', { name: 'Save as a file' }).click();
    await page.getByText('A file of the name down exists already.').waitFor();
    expect(readFileSync(join(scenarios, 'down.yaml'), 'utf8')).toContain('unavailable');
    await page.getByRole('button', { name: 'Replace the file' }).click();
    await expect.poll(() => readFileSync(join(scenarios, 'down.yaml'), 'utf8')).toContain('internal');

    await write(page, 'name: other\n');
    await page.reload();
    await page.getByRole('button', { name: 'Edit down' }).click();
    await editor(page).getByText('internal').waitFor();
  });

  it('says what is missing where no folder is named', async () => {
    const stage = await setStage();
    const page = await openEditor(stage);
    await write(page, DOWN);

    await page.getByRole('button', { name: 'Save as a file' }).click();

    await page.getByRole('alert').getByText('start Understudy with --scenarios FOLDER').waitFor();
  });

  it('is left by Escape and Tab', async () => {
    const stage = await setStage();
    const page = await openEditor(stage);
    const next = page.getByRole('button', { name: 'Load it' });

    // Within two seconds after Escape, Tab leaves the editor: a busy machine may need another try.
    await expect
      .poll(async () => {
        await editor(page).focus();
        await page.keyboard.press('Escape');
        await page.keyboard.press('Tab');
        return next.evaluate((button) => button.matches(':focus'));
      })
      .toBe(true);
  });

  it('shows markup in names, descriptions and mistakes as text', async () => {
    const text = `name: marked\ndescription: '${MARKUP}'\n`;
    const stage = await setStage({ config: { scenarioFolders: [folder({ 'marked.yaml': text })] } });
    const page = await openDashboard(stage, 'default/scenarios');
    await page.getByText(MARKUP).waitFor();

    await page.getByRole('button', { name: 'Edit marked' }).click();
    await write(page, `name: marked\n'${MARKUP}': 1\n`);
    await page.getByText('<b>bold</b>').nth(1).waitFor();

    await expectNoMarkup(page);
  });
});
