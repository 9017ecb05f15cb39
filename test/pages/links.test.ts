import { describe, expect, it } from 'vitest';
import { authorizeUrl } from '../operations/sign-in-support.ts';
import { boot, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';

const lastId = async ({ control }: Pick<Booted, 'control'>) =>
  (await control.get('/requests').expect(200)).body.requests.at(-1).id as string;

describe('an error page', () => {
  it.each([
    ['an operation that fails', '/ui/login/req_1000000000000000001', 404],
    ['a request that the contract refuses', '/ui/link', 400],
    ['a path that no operation has', '/nowhere', 404],
  ])('of %s links to its journal entry and to the front page', async (_, address, status) => {
    const booted = await boot();

    const page = await booted.anonymous.get(address).set('accept', 'text/html').expect(status);

    expect(page.headers['understudy-request-id']).toBe(await lastId(booted));
    expect(page.text).toContain(`href="/_control/#/default/request/${await lastId(booted)}"`);
    expect(page.text).toContain('href="/"');
  });

  it('links to the journal of its own environment', async () => {
    const booted = await boot();
    const blue = await booted.environment('blue');

    const page = await booted.anonymous
      .get('/ui/login/blue.req_1000000000000000001')
      .set('accept', 'text/html')
      .expect(404);

    expect(page.text).toContain(`href="/_control/#/blue/request/${await lastId(blue)}"`);
  });
});

describe('an email address on a page', () => {
  it('is escaped, and in one piece with line break opportunities before `@` and `.` when it is long', async () => {
    const booted = await boot();
    const email = "maximiliane.o'hara@subsidiary.acme.example";
    await booted.control.patch('/state/users/usr_10000000000000101').send({ email }).expect(200);

    const { response } = await new Browser(booted).open(authorizeUrl());

    expect(response!.text).toContain(
      '<span class="address">maximiliane<wbr />.o&#39;hara<wbr />@subsidiary<wbr />.acme<wbr />.example',
    );
  });

  it('has no line break opportunities when it is short', async () => {
    const { text } = await new Browser(await boot()).open(authorizeUrl());

    expect(text).toContain('<small>ada@acme.example</small>');
  });
});
