import type { ControlOperations } from './handler.ts';

/** Identity providers are loaded at their first use. */
const load = () => Promise.all([import('../operations/idp/act.ts'), import('../operations/idp/view.ts')]);

export const idp = {
  async Control_ListIdps(_, { environment }) {
    const [, { viewIdp }] = await load();
    const { tables } = environment;
    return { providers: tables.idp_apps.list().map((app) => viewIdp(tables, app)) };
  },

  async Control_ActAsIdp({ body }, { environment, baseUrl }) {
    const [{ act }, { viewIdp }] = await load();
    const { app, pushes } = environment.transact({ baseUrl }, (env) => act(env, body)).result;
    await environment.settled();
    const { tables } = environment;
    return viewIdp(tables, tables.idp_apps.find(app.id) ?? app, pushes);
  },
} satisfies Partial<ControlOperations>;
