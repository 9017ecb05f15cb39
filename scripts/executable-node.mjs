// The Node that becomes a part of the executable.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The first Node with `--build-sea`. */
const OLDEST = '25.5';

/** What the user can change. The message is printed without a stack. */
export class BuildError extends Error {}

/** The platform of this Node, and where its licence is. Throws BuildError if it cannot make an executable. */
export function builderAt(node) {
  const { version, platform, arch } = described(node);
  if (!canBuild(version))
    throw new BuildError(
      `${node} is Node ${version}, and Node ${OLDEST} or later makes the executable. Run this script with a newer Node, or name one in NODE_FOR_EXECUTABLE`,
    );
  const folders = [dirname(node), join(dirname(node), '..')];
  const license = folders.map((folder) => join(folder, 'LICENSE')).find((file) => existsSync(file));
  if (license === undefined)
    throw new BuildError(
      `${node} has no file LICENSE in its folder or the folder above, and the executable must contain it. Name a Node from https://nodejs.org/en/download or an official image in NODE_FOR_EXECUTABLE`,
    );
  return { platform, arch, license };
}

function described(node) {
  try {
    const code =
      'JSON.stringify({ version: process.versions.node, platform: process.platform, arch: process.arch })';
    return JSON.parse(
      execFileSync(node, ['-p', code], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  } catch (thrown) {
    throw new BuildError(`${node} is not a Node that runs here: ${thrown.message.split('\n', 1)[0]}`);
  }
}

/** Whether a Node of this version, such as 26.1.0, makes executables. */
export function canBuild(version) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
