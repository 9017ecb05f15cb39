import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasHeading } from './support/pages.ts';
import { openWindow, setStage, type Stage } from './support/stage.ts';

interface Listed {
  environments: { name: string }[];
}

const namesOf = async ({ control }: Stage) =>
  (await control<Listed>('GET', '/environments')).environments.map(({ name }) => name);

/** Starts an application with empty pages and returns its origin. */
async function openOrigin(): Promise<string> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('home'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a page of another origin', () => {
  it('cannot use the control API with any kind of request', async () => {
    const stage = await setStage();
    const page = await openWindow({ complains: true });
    await page.goto(`${stage.party.url}/home`);
    const control = `${stage.issuer}/_control/v1`;

    await page.evaluate(async (url) => {
      const body = '{"name":"red"}';
      // The browser hides the response from the page; the test checks that nothing was done.
      const send = (init: RequestInit) =>
        fetch(`${url}/environments`, { method: 'POST', mode: 'no-cors', ...init }).catch(() => {});
      await send({ body });
      await send({ body, headers: { 'content-type': 'text/plain' } });
      await send({ body: new Blob([body]) });
      await send({ body, referrerPolicy: 'no-referrer' });
    }, control);
    // A form whose only field becomes JSON in the body.
    await page.setContent(
      `<form method="post" enctype="text/plain" action="${control}/environments">
         <input name='{"name":"red","x' value='"}'><button>Win</button></form>`,
    );
    await page.getByRole('button').click();
    await page.waitForURL(`${control}/environments`);

    expect(await page.textContent('body')).toContain('PERMISSION_DENIED');
    expect(await namesOf(stage)).toEqual(['default']);
  });

  it('may link to the mails', async () => {
    const { issuer, party } = await setStage();
    const page = await openWindow();
    await page.goto(`${party.url}/home`);

    await page.setContent(`<a href="${issuer}/_control/v1/mail?format=html">Mails</a>`);
    await page.getByRole('link').click();
    await page.waitForURL(`${issuer}/**`);

    await hasHeading(page, 'Mails');
  });

  it('can use the control API when --control-origin names its origin', async () => {
    const origin = await openOrigin();
    const stage = await setStage({ config: { controlOrigins: [origin] } });
    const page = await openWindow();
    await page.goto(origin);

    const made = await page.evaluate(async (url) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(url, { method: 'POST', headers, body: '{"name":"red"}' });
      return (await answer.json()) as { name: string };
    }, `${stage.issuer}/_control/v1/environments`);

    expect(made.name).toBe('red');
    expect(await namesOf(stage)).toEqual(['default', 'red']);
  });
});

describe('a foreign host name that resolves to this machine', () => {
  it('gives its pages no access to the control API and the API', async () => {
    const { issuer } = await setStage();
    const { port } = new URL(issuer);
    const page = await openWindow({ complains: true });
    await page.goto(`http://evil.example:${port}/openapi.json`);

    const statuses = await page.evaluate(async () => {
      const quiet: RequestInit = { referrerPolicy: 'no-referrer', headers: { 'accept-language': '' } };
      const answers = [
        await fetch('/_control/v1/environments'),
        await fetch('/_control/v1/environments', quiet),
        await fetch('/_control/v1/reset', { method: 'POST' }),
        await fetch('/api/v1/organizations', quiet),
        await fetch('/scalekit.v1.organizations.OrganizationService/ListOrganization', { method: 'POST' }),
      ];
      return answers.map(({ status }) => status);
    });

    expect(statuses).toEqual([421, 421, 421, 421, 421]);
  });
});
