export const BINARIES: string | undefined;

export class PostgresServer {
  constructor(port: number, settings?: Readonly<Record<string, string>>);
  readonly folder: string;
  readonly pid: number;
  readonly user: { cwd: string; uid?: number; gid?: number };
  crash(): void;
  resume(): void;
  remove(): void;
  address(database: string): string;
}
