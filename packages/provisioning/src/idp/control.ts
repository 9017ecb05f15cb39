import type { ControlOperations } from '@understudy/core/control/handler';
import { act } from './act.ts';
import { viewIdp } from './view.ts';

export const idp = {
  Control_ListIdps(_, { environment }) {
    const { tables } = environment;
    return { providers: tables.idp_apps.list().map((app) => viewIdp(tables, app)) };
  },

  async Control_ActAsIdp({ body }, { environment, baseUrl }) {
    const { app, pushes } = environment.transact({ baseUrl }, (env) => act(env, body)).result;
    await environment.settled();
    const { tables } = environment;
    return viewIdp(tables, tables.idp_apps.find(app.id) ?? app, pushes);
  },
} satisfies Partial<ControlOperations>;
