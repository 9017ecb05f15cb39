import type { Snapshot } from '../environments/snapshots.ts';
import type { ControlOperations } from './handler.ts';

export const snapshots = {
  Control_ListSnapshots(_, { environment }) {
    return { snapshots: environment.snapshots.list().map(view) };
  },

  Control_TakeSnapshot({ body }, { environment }) {
    return view(environment.takeSnapshot(body.name));
  },

  Control_RestoreSnapshot({ path }, { environment }) {
    environment.restore(environment.snapshots.get(path.snapshot).point);
    return undefined;
  },

  Control_DeleteSnapshot({ path }, { environment }) {
    environment.snapshots.remove(path.snapshot);
    return undefined;
  },
} satisfies Partial<ControlOperations>;

const view = ({ name, time }: Snapshot) => ({ name, time: new Date(time).toISOString() });
