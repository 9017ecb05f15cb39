import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { follow, makeFolder } from '../support/process.ts';
import { readOnlyContainer } from './chroot.ts';

/** What the image says about how it runs. */
export interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Volumes: Record<string, object>;
  Labels: Record<string, string>;
  Healthcheck: { Test: string[] };
  StopSignal: string;
}

export interface RunOptions {
  /** What follows the name of the image. */
  args?: string[];
  /** Runs instead of the program of the image. */
  entrypoint?: string;
  variables?: Record<string, string>;
  /** A port that is the same inside and outside. */
  port?: number;
  /** Files of this machine, and where the container finds them. */
  files?: Record<string, string>;
  /** A volume of `makeVolume` for `/data`. Without it, the container gets a new one. */
  data?: string;
}

export interface Container extends ReturnType<typeof follow> {
  /** Runs a program in the container, as its user. */
  exec(
    words: string[],
    variables?: Record<string, string>,
  ): { code: number | null; stdout: string; stderr: string };
  signal(name: NodeJS.Signals): void;
}

/** Starts containers without capabilities and with a file system that cannot be written to. */
export interface Engine {
  config: ImageConfig;
  makeVolume(): string;
  run(options: RunOptions): Container;
}

/** The engine that has the image: Docker, or buildah with the storage of `npm run test:image`. */
export function findEngine(): Engine | undefined {
  const storage = process.env.IMAGE_TEST_STORAGE;
  if (storage !== undefined) return new Buildah(storage);
  const found = spawnSync('docker', ['image', 'inspect', '--format', '{{json .Config}}', 'understudy']);
  return found.status === 0 ? new Docker(JSON.parse(String(found.stdout)) as ImageConfig) : undefined;
}

const HARDENED = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

class Docker implements Engine {
  readonly config: ImageConfig;

  constructor(config: ImageConfig) {
    this.config = config;
  }

  makeVolume(): string {
    const name = `understudy-${randomUUID()}`;
    execFileSync('docker', ['volume', 'create', name]);
    onTestFinished(() => void spawnSync('docker', ['volume', 'rm', '--force', name]));
    return name;
  }

  run({ args = [], entrypoint, variables = {}, port, files = {}, data }: RunOptions): Container {
    const name = `understudy-${randomUUID()}`;
    const started = spawn('docker', [
      'run',
      ...HARDENED,
      '--name',
      name,
      ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
      ...(port === undefined ? [] : ['--publish', `127.0.0.1:${port}:${port}`]),
      ...(data === undefined ? [] : ['--volume', `${data}:/data`]),
      ...Object.entries(files).flatMap(([from, to]) => ['--volume', `${from}:${to}:ro`]),
      ...variableFlags(variables),
      'understudy',
      ...args,
    ]);
    onTestFinished(() => void spawnSync('docker', ['rm', '--force', '--volumes', name]));
    return {
      ...follow(started),
      exec: (words, more = {}) => ended('docker', ['exec', ...variableFlags(more), name, ...words]),
      signal: (signal) => void execFileSync('docker', ['kill', '--signal', signal, name]),
    };
  }
}

const variableFlags = (variables: Record<string, string>) =>
  Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]);

const ended = (command: string, args: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return { code: status, stdout, stderr };
};

/** buildah builds images; this starts them as an engine does. */
class Buildah implements Engine {
  readonly config: ImageConfig;
  readonly #container: string;
  readonly #root: string;
  readonly #storage: string;

  constructor(storage: string) {
    this.#storage = storage;
    this.#container = this.#ask('from', '--pull-never', 'understudy');
    this.#root = this.#ask('mount', this.#container);
    const { Docker } = JSON.parse(this.#ask('inspect', this.#container)) as {
      Docker: { config: ImageConfig };
    };
    this.config = Docker.config;
  }

  #ask(...words: string[]): string {
    const storage = ['--root', this.#storage, '--runroot', `${this.#storage}-run`];
    return execFileSync('buildah', [...storage, ...words], { encoding: 'utf8' }).trim();
  }

  /** A new volume has what the image has in its place, with the same owner. */
  makeVolume(): string {
    const folder = join(makeFolder(), 'data');
    execFileSync('cp', ['--archive', join(this.#root, 'data'), folder]);
    return folder;
  }

  run({ args, entrypoint, variables = {}, files = {}, data }: RunOptions): Container {
    const { Entrypoint, Cmd, Env, User, WorkingDir, Volumes } = this.config;
    for (const place of Object.values(files)) this.#makePlace(join(this.#root, place));
    const volumes = Object.keys(Volumes).map((place) => [data ?? this.makeVolume(), place] as const);
    const named = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const settings = { root: this.#root, user: User, folder: WorkingDir, variables: [...Env, ...named] };
    const container = readOnlyContainer({ ...settings, mounts: [...volumes, ...Object.entries(files)] });
    const program =
      entrypoint === undefined ? [...Entrypoint, ...(args ?? Cmd)] : [entrypoint, ...(args ?? [])];
    const [command, ...words] = container.start(program);
    const child = follow(spawn(command!, words));
    return {
      ...child,
      exec: (own, more = {}) => {
        const [enter, ...rest] = container.enter(child.child.pid!, own, more);
        return ended(enter!, rest);
      },
      signal: (signal) => void process.kill(container.mainProcess(child.child.pid!), signal),
    };
  }

  /** A file is mounted onto one that exists. */
  #makePlace(place: string): void {
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, '');
    onTestFinished(() => rmSync(place));
  }
}
