import { readFileSync } from 'node:fs';

export interface Settings {
  /** The root file system of the container. */
  root: string;
  user: string;
  folder: string;
  variables: string[];
  /** Files and folders of this machine, and where they are in the container. */
  mounts: readonly (readonly [from: string, to: string])[];
}

/**
 * Mounts what an engine would, makes the root file system read-only, and becomes the program of the container, whose
 * process is the first one of its namespace.
 */
const MAIN = `set -e
root=$1
shift
mount --bind "$root" "$root"
while [ "$1" != -- ]; do mount --bind "$1" "$root$2"; shift 2; done
shift
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -o remount,bind,ro "$root"
exec chroot "$root" "$@"`;

const WITHOUT_RIGHTS = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'];
const UNSHARE = ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', MAIN, 'sh'];

/**
 * The command lines of a container that a superuser makes with programs that every Linux has: without capabilities, with a
 * root file system that cannot be written to, and with processes of its own.
 */
export function readOnlyContainer({ root, user, folder, variables, mounts }: Settings) {
  const [uid, gid] = user.split(':');
  const become = [
    '/usr/bin/setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    ...WITHOUT_RIGHTS,
    // The change of user has dropped what `unshare` asked for: to end with it.
    '--pdeathsig=KILL',
  ];
  const place = ['/usr/bin/env', '--ignore-environment', `--chdir=${folder}`, ...variables];
  const inside = (words: string[], more: string[]) => [...place, ...more, ...become, ...words];
  return {
    start: (words: string[]) => [...UNSHARE, root, ...mounts.flat(), '--', ...inside(words, [])],
    /** The command line of another program in the container whose `unshare` has this process id. */
    enter(id: number, words: string[], more: Record<string, string>): string[] {
      const named = Object.entries(more).map(([name, value]) => `${name}=${value}`);
      const target = String(mainProcess(id));
      return ['nsenter', '--target', target, '--mount', '--pid', 'chroot', root, ...inside(words, named)];
    },
    mainProcess,
  };
}

/** The first process of the namespace is the only child of `unshare`. */
function mainProcess(id: number): number {
  return Number(readFileSync(`/proc/${id}/task/${id}/children`, 'utf8'));
}
