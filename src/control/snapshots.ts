import type { Snapshot } from '../environment/snapshots.ts';
import type { ControlOperations } from './handler.ts';

export const snapshots = {
  Control_ListSnapshots(_, { environment }) {
    return { snapshots: environment.snapshots.list().map(view) };
  },

  Control_TakeSnapshot({ body }, { environment }) {
    const { snapshots, activity, clock } = environment;
    const taken = snapshots.add({ name: body.name, time: clock.now(), point: environment.savePoints.save() });
    activity.publish({ kind: 'snapshot', change: 'taken', name: body.name });
    return view(taken);
  },

  Control_RestoreSnapshot({ path }, { environment }) {
    environment.savePoints.restore(environment.snapshots.get(path.snapshot).point);
    return undefined;
  },

  Control_DeleteSnapshot({ path }, { environment }) {
    environment.snapshots.remove(path.snapshot);
    return undefined;
  },
} satisfies Partial<ControlOperations>;

const view = ({ name, time }: Snapshot) => ({ name, time: new Date(time).toISOString() });
