import { InvalidArgumentError, type Option } from 'commander';

/** What stands in place of the flags that no longer exist. */
const GONE: Readonly<Record<string, string>> = {
  '--lease <duration>':
    'It no longer exists, because no process owns an environment: remove it. The database decides which change comes first.',
  '--advertise <url>':
    'It no longer exists, because processes do not forward calls to each other: remove it. Each process with the same --store answers every call itself.',
  '--rest-after <duration>':
    'It no longer exists: remove it. After 10 minutes without use, an environment leaves the memory of a process; the next call reads it from the database.',
  '--max-awake <number>':
    'It no longer exists: remove it. A process keeps the 1000 environments in memory that were used last, and reads the others from the database.',
};

/** Flags that are refused with a sentence, also as variables and in a config file. No help lists them. */
export const goneOptions = (make: (flags: string, description: string) => Option): Option[] =>
  Object.entries(GONE).map(([flags, sentence]) =>
    make(flags, sentence)
      .hideHelp()
      .argParser(() => {
        throw new InvalidArgumentError(sentence);
      }),
  );
