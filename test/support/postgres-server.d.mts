export const BINARIES: string | undefined;

export class PostgresServer {
  constructor(port: number, settings?: Readonly<Record<string, string>>);
  readonly folder: string;
  readonly pid: number;
  readonly user: { cwd: string; uid?: number; gid?: number };
  crash(): void;
  resume(): void;
  /** Sends the signal to each process of the server. */
  signal(signal: NodeJS.Signals): void;
  /** Starts the server after SIGKILL. */
  restart(): Promise<void>;
  remove(): void;
  address(database: string): string;
}
