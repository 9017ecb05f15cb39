import { CertificateError } from '../server/certificates/certificates.ts';
import { ConfigError } from '../start/config.ts';
import { ConnectionError, ControlError } from '@understudy/client/errors';
import { ReportError } from '../coverage/report.ts';
import { FixtureError } from '../fixtures/fixture-error.ts';
import { FileError } from '@understudy/text/files';
import { ApiError } from '../contract/errors.ts';
import { ListenError } from '../server/port/listener.ts';
import { ScenarioError } from '../scenarios/complaints.ts';
import { StoreError } from '../store/change-log.ts';
import { UsageError } from './usage-error.ts';

const PLAIN = [
  CertificateError,
  ConfigError,
  ConnectionError,
  ControlError,
  ReportError,
  FileError,
  UsageError,
  FixtureError,
  ListenError,
  ScenarioError,
  StoreError,
  ApiError,
];

/** Returns one line for failures that the user can fix, and the stack for all others, which are bugs. */
export function explain(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return PLAIN.some((kind) => thrown instanceof kind) ? thrown.message : (thrown.stack ?? thrown.message);
}
