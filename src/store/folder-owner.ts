import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, realpathSync, renameSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StoreError } from './change-log.ts';
import { codeOf, makeFolder, refusesWrites } from './private-files.ts';

interface Ownership {
  release(): Promise<void>;
}

const OWNER = '.owner.sock';
/** The shortest limit of sun_path (macOS: 104) minus the length of `OWNER-123456/123456` and the final zero. */
const LONGEST_FOLDER = 103 - `/${OWNER}-123456/123456`.length;

/**
 * `.owner.sock` is a folder with one socket of a unique name. A claim listens beside it and is renamed into place,
 * which fails while the folder holds a socket. So if two processes remove a dead owner, one wins, and neither can
 * remove the other.
 */
export async function takeOwnership(folder: string): Promise<Ownership> {
  try {
    const home = realpathSync(folder);
    return await claimWhereSocketsWork(home, folder);
  } catch (thrown) {
    throw StoreError.from(`data folder ${folder}`, thrown);
  }
}

async function claimWhereSocketsWork(home: string, folder: string): Promise<Ownership> {
  try {
    return await claim(home, folder);
  } catch (thrown) {
    const isAboutSockets = thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'listen';
    if (!isAboutSockets || isCode(thrown, ['ENOSPC', 'EDQUOT'])) throw thrown;
  }
  // Some mounted folders allow no sockets (Docker on macOS); the socket then goes to this machine's tmp folder.
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const elsewhere = join(tmpdir(), `understudy-${hash}`);
  makeFolder(elsewhere);
  return claim(elsewhere, folder);
}

async function claim(home: string, folder: string): Promise<Ownership> {
  const draft = await makeDraft(home, folder);
  const id = basename(draft).slice(-6);
  const link = Buffer.byteLength(home) > LONGEST_FOLDER ? linkTo(home) : undefined;
  const near = link?.path ?? home;
  let server: Server | undefined;
  try {
    server = await listenAt(join(near, basename(draft), id));
    while (!moveInto(join(home, OWNER), draft)) {
      if (!(await clearAbandoned(home, near))) throw inUse(folder);
    }
  } catch (thrown) {
    if (server) await closeServer(server);
    rmSync(draft, { recursive: true, force: true });
    throw thrown;
  } finally {
    link?.remove();
  }
  return { release: () => release(server, join(home, OWNER), id) };
}

/** A folder on a full disk may still have an owner. */
async function makeDraft(home: string, folder: string): Promise<string> {
  try {
    return mkdtempSync(join(home, `${OWNER}-`));
  } catch (thrown) {
    for (const id of socketsIn(join(home, OWNER)))
      if (!(await isAbandoned(join(home, OWNER, id)))) throw inUse(folder);
    throw thrown;
  }
}

const inUse = (folder: string) =>
  new StoreError(`data folder ${folder} is in use by another understudy process`);

function moveInto(place: string, draft: string): boolean {
  try {
    renameSync(draft, place);
    return true;
  } catch (thrown) {
    if (isCode(thrown, ['ENOTEMPTY', 'EEXIST'])) return false;
    throw thrown;
  }
}

/** False if one of the owners is alive. */
async function clearAbandoned(home: string, near: string): Promise<boolean> {
  for (const id of socketsIn(join(home, OWNER))) {
    if (!(await isAbandoned(join(near, OWNER, id)))) return false;
    rmSync(join(home, OWNER, id), { force: true });
  }
  return true;
}

function socketsIn(place: string): string[] {
  try {
    return readdirSync(place);
  } catch (thrown) {
    if (isCode(thrown, ['ENOENT'])) return [];
    throw thrown;
  }
}

/** A short link to a folder whose own path is too long for a socket's address. */
function linkTo(home: string): { path: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'));
  const path = join(folder, 'd');
  symlinkSync(home, path);
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function release(server: Server, place: string, id: string): Promise<void> {
  await closeServer(server);
  rmSync(join(place, id), { force: true });
  try {
    rmdirSync(place);
  } catch {
    // Another process owns the folder by now, or the folder is gone.
  }
}

const isCode = (thrown: unknown, codes: readonly string[]): boolean => codes.includes(codeOf(thrown) ?? '');

/** Listens at the path, which shows that the process runs; does not keep the process alive. */
async function listenAt(path: string): Promise<Server> {
  const server = createServer((caller) => caller.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, exclusive: true }, resolve);
  });
  return server.unref();
}

async function closeServer(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

const ABANDONED = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'];

/** Only a refused connection proves that no process listens; a full queue or a missing permission does not. */
async function isAbandoned(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const caller = connect(path, () => {
      caller.destroy();
      resolve(false);
    });
    caller.once('error', (error: NodeJS.ErrnoException) => resolve(ABANDONED.includes(error.code ?? '')));
  });
}

/**
 * The right to write to a data folder. A claim is a socket in the folder, which a full disk refuses; the folder can
 * then be read, but nothing is written until it is claimed.
 */
export class FolderClaim {
  readonly #folder: string;
  #ownership: Ownership | undefined;
  #refusal: StoreError | undefined;
  #trying: Promise<void> | undefined;
  #isReleased = false;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws a StoreError if another process owns the folder. */
  static async take(folder: string, warn: (message: string) => void): Promise<FolderClaim> {
    const claim = new FolderClaim(folder);
    await claim.#try();
    if (claim.#refusal && !refusesWrites(claim.#refusal.cause)) throw claim.#refusal;
    if (claim.#refusal)
      warn(`${claim.#refusal.message}: Understudy only reads the folder until it can claim it`);
    return claim;
  }

  /** Throws while the folder is not claimed, and tries again for later writes. */
  assertHeld(): void {
    if (this.#ownership) return;
    this.#trying ??= this.#try().finally(() => (this.#trying = undefined));
    throw this.#refusal ?? new StoreError(`data folder ${this.#folder} is not claimed`);
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#trying;
    await this.#ownership?.release();
  }

  async #try(): Promise<void> {
    try {
      const ownership = await takeOwnership(this.#folder);
      if (this.#isReleased) await ownership.release();
      else this.#ownership = ownership;
    } catch (thrown) {
      this.#refusal = thrown as StoreError;
    }
  }
}
