import type { Snapshot } from '../environment/snapshots.ts';
import type { ControlOperations } from './handler.ts';

export const snapshots = {
  Control_ListSnapshots(_, { environment }) {
    return { snapshots: environment.snapshots.list().map(view) };
  },

  async Control_TakeSnapshot({ body }, { environment }) {
    const { snapshots, activity, clock } = environment;
    const taken = await snapshots.add({ name: body.name, time: clock.now() }, environment.savePoints.save());
    activity.publish({ kind: 'snapshot', change: 'taken', name: body.name });
    return view(taken);
  },

  async Control_RestoreSnapshot({ path }, { environment }) {
    environment.savePoints.restore(await environment.snapshots.pointOf(path.snapshot));
    return undefined;
  },

  async Control_DeleteSnapshot({ path }, { environment }) {
    await environment.snapshots.remove(path.snapshot);
    return undefined;
  },
} satisfies Partial<ControlOperations>;

const view = ({ name, time }: Snapshot) => ({ name, time: new Date(time).toISOString() });
