import { InvalidArgumentError, Option } from 'commander';
import { KNOWN_CREDENTIALS } from '@understudy/core/config';
import { parseDuration } from '@understudy/text/duration';

/** The client with which a command calls an environment, such as one of the real service. */
export const clientOptions = (): Option[] => [
  new Option('--client-id <id>', 'the id of a client of the environment')
    .env('SCALEKIT_CLIENT_ID')
    .default(KNOWN_CREDENTIALS.client_id),
  new Option('--client-secret <secret>', 'the secret of the client; set the variable rather than this flag')
    .env('SCALEKIT_CLIENT_SECRET')
    .default(KNOWN_CREDENTIALS.client_secret, "that of Understudy's default environment"),
];

export const paceOption = (): Option =>
  new Option('--pace <duration>', 'the time between two calls').argParser(milliseconds).default(200, '200ms');

function milliseconds(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined) throw new InvalidArgumentError('It must be a duration such as 200ms.');
  return duration;
}
