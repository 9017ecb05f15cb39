import { Option } from 'commander';
import { DEFAULTS } from '../config.ts';
import { FIGURES } from '../coverage/report.ts';
import { option } from './options.ts';
import { percentage, webAddress, type Variables } from './variables.ts';

const SDKS = ['node', 'python', 'go', 'java'] as const;
export type Sdk = (typeof SDKS)[number];

export const ENV_FORMATS = ['shell', 'dotenv', 'json', 'docker', 'github'] as const;

/** The address of a service that was started with the same variables. */
function urlOption(variables: Variables): Option {
  const port = variables['UNDERSTUDY_PORT'] || DEFAULTS.port;
  return option(variables, '--url <url>', 'the address of the running service')
    .argParser(webAddress)
    .default(`http://localhost:${port}`);
}

/** The flags of the commands that call a running service. */
export const serviceOptions = (variables: Variables): Option[] => [
  urlOption(variables),
  new Option('--environment <name>', 'the environment to work on').default('default'),
  new Option('--json', 'print JSON: a line for each event of tail, otherwise one line'),
];

/** The flags of the commands that are not about one environment. They accept `--environment`, and the help does not show it. */
export const wholeServiceOptions = (variables: Variables): Option[] =>
  serviceOptions(variables).map((each) => (each.name() === 'environment' ? each.hideHelp() : each));

/** The flags of `mcp`. */
export const mcpOptions = (variables: Variables): Option[] => serviceOptions(variables).slice(0, 2);

const environmentOption = () =>
  new Option('--environment <name>', 'an environment (default: all that the process has had)');

const limitOptions = () => [
  new Option('--fail-under <percent>', 'exit with 1 if less is covered').argParser(percentage),
  new Option('--of <figure>', 'the percentage that --fail-under checks').choices(FIGURES).default(FIGURES[0]),
];

export const coverageOptions = (variables: Variables): Option[] => [
  urlOption(variables),
  environmentOption(),
  new Option('--format <format>', 'the format of the report')
    .choices(['text', 'json', 'html'])
    .default('text'),
  new Option('--out <file>', 'the file to write (default: stdout)'),
  ...limitOptions(),
];

export const REPORT_FORMATS = ['text', 'junit', 'github', 'html'] as const;

export const reportOptions = (variables: Variables): Option[] => [
  urlOption(variables),
  environmentOption(),
  new Option(
    '--format <format>',
    'the format (default: html or junit for an --out file that ends in .html or .xml, otherwise text)',
  ).choices(REPORT_FORMATS),
  new Option('--out <file>', 'the file to write (default: stdout)'),
  ...limitOptions(),
  new Option('--fail', 'exit with 1 if the report has a problem'),
];

export const envOptions = (variables: Variables): Option[] => [
  new Option('--sdk <name>', 'the SDK to configure (default: what all SDKs have in common)').choices(SDKS),
  urlOption(variables),
  new Option('--environment <name>', 'the environment whose credentials are printed').default('default'),
  new Option('--format <format>', 'the output format').choices(ENV_FORMATS).default('shell'),
  new Option(
    '--ca-file <file>',
    'where to write the certificate to trust (default: a new file in the temporary folder)',
  ),
];
