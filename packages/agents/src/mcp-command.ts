import { serviceOptions } from '@understudy/core/cli/options';
import type { Shell } from '@understudy/core/parts';
import { Command } from 'commander';

export function mcpCommand({ terminal, exit }: Shell): Command {
  const command = new Command('mcp').description(
    'let a coding agent control the service: speaks the Model Context Protocol over stdin and stdout',
  );
  const { variables } = terminal;
  const wanted = ['url', 'environment'];
  for (const option of serviceOptions(variables).filter((each) => wanted.includes(each.name())))
    command.addOption(option);
  return command.action(async ({ url, environment }: { url: string; environment: string }) => {
    const { serveAgent } = await import('./stdio.ts');
    const mayStart = command.getOptionValueSource('url') === 'default';
    const token = variables['UNDERSTUDY_CONTROL_TOKEN'] || undefined;
    await serveAgent({ url, environment, token, mayStart }, terminal);
    exit();
  });
}
