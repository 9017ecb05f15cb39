import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { boot } from '../support/boot.ts';

interface Body {
  content: Record<string, { example?: unknown; examples?: object }>;
}

const read = (file: string) => JSON.parse(readFileSync(join(PACKAGE_ROOT, file), 'utf8'));

describe('Control_Health', () => {
  it('responds with the status and the version', async () => {
    const { control } = await boot();

    const { body } = await control.get('/health').expect(200);

    expect(body).toEqual({ status: 'ok', version: read('package.json').version });
  });

  it('ignores the environment in the header, which may not exist', async () => {
    const { control } = await boot();

    await control.get('/health').set('understudy-environment', 'nowhere').expect(200);
  });
});

describe('Control_Document', () => {
  it("is the document that requests are validated against, with the caller's base URL", async () => {
    const { control } = await boot({ baseUrl: 'http://understudy.test' });

    const { body } = await control.get('/openapi.json').expect(200);

    expect(body).toEqual({ ...read('dist/control.json'), servers: [{ url: 'http://understudy.test' }] });
  });
});

describe('the control document', () => {
  const { paths } = read('dist/control.json') as {
    paths: Record<string, Record<string, { operationId?: string; summary?: string; requestBody?: Body }>>;
  };
  const operations = Object.values(paths).flatMap((item) =>
    Object.values(item).filter((each) => each.operationId),
  );

  it.each(operations)(
    'has a summary for $operationId and an example of its body',
    ({ summary, requestBody }) => {
      expect(summary).toMatch(/^[A-Z].{3,}[^.]$/);
      for (const [type, { example, examples }] of Object.entries(requestBody?.content ?? {}))
        expect([type, example ?? examples]).not.toEqual([type, undefined]);
    },
  );
});

describe('control calls', () => {
  it('are not in the journal and are not affected by scenarios', async () => {
    const { control } = await boot();
    await control.delete('/requests').expect(204);
    const rules = [{ on: '*', reply: { error: 'unavailable' } }];
    await control.post('/scenarios').send({ name: 'down', rules }).expect(201);

    await control.get('/state/hash').expect(200);
    await control.get('/health').expect(200);

    expect((await control.get('/requests').expect(200)).body).toEqual({ requests: [], total: 0, kept: 0 });
    expect((await control.get('/scenarios/down').expect(200)).body.rules).toMatchObject([{ hits: 0 }]);
  });
});
