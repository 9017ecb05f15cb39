import { Command } from 'commander';
import type { ServiceAddress } from './service-address.ts';
import type * as Agents from './agents.ts';
import { createDocuments, readVersion } from '@understudy/core/contract/documents';
import { readConfigFile } from '@understudy/core/cli/config/find-config-file';
import { explain } from '@understudy/core/cli/explain';
import { serveOptions } from '@understudy/core/cli/options';
import { startServing, type Running } from '@understudy/core/cli/serve';
import { configOf, type ServeOptions } from '@understudy/core/cli/serve-config';
import { connect, type Target } from '@understudy/core/cli/connect';
import type { Terminal } from '@understudy/core/parts';

interface AgentOptions extends Target {
  /** Whether a service may be started at the address if none answers there. */
  mayStart: boolean;
}

/** Speaks the Model Context Protocol over stdin and stdout until the agent closes them. */
export async function serveAgent(options: AgentOptions, terminal: Terminal): Promise<void> {
  // Bundles of their own, which other commands do not load.
  const { serveOverStdio } = await import('@understudy/mcp/protocol');
  const agents = await import('./agents.ts');
  const finder = new ServiceFinder(options, terminal, agents.ToolError);
  // The application may need the service before the agent calls a tool.
  void finder.connect().catch(({ message }: Error) => terminal.err(`understudy: ${message}\n`));
  await serveOverStdio(
    agents.createAgentServer({
      version: readVersion(),
      documents: createDocuments(),
      tokens: new agents.AccessTokens(),
      environment: options.environment,
      connect: () => finder.connect(),
    }),
  );
  await finder.stop();
}

/** Finds the running service, or starts one in memory. Looks again when the service is gone. */
class ServiceFinder {
  readonly #options: AgentOptions;
  readonly #terminal: Terminal;
  readonly #ToolError: typeof Agents.ToolError;
  #found: Promise<ServiceAddress> | undefined;
  #started: Running | undefined;

  constructor(options: AgentOptions, terminal: Terminal, failure: typeof Agents.ToolError) {
    this.#options = options;
    this.#terminal = terminal;
    this.#ToolError = failure;
  }

  /** Throws ToolError, whose message the agent gets, if nothing answers and nothing can be started. */
  connect(): Promise<ServiceAddress> {
    this.#found ??= this.#find().catch((thrown: unknown) => {
      this.#found = undefined;
      throw new this.#ToolError(explain(thrown), { cause: thrown });
    });
    return this.#found;
  }

  async stop(): Promise<void> {
    await this.#started?.stop();
  }

  async #find(): Promise<ServiceAddress> {
    const { token, mayStart } = this.#options;
    const { url } = await connect(this.#options).catch((thrown: unknown) => {
      if (!mayStart) throw thrown;
      return this.#start(thrown);
    });
    return { url, token, fetch: this.#fetch };
  }

  /** Another process may have started a service at the same moment. */
  async #start(refusal: unknown): Promise<{ url: string }> {
    try {
      this.#started = await startInMemory(this.#options.url, this.#terminal);
      this.#terminal.err(`understudy: started in memory at ${this.#options.url}\n`);
      return { url: this.#options.url };
    } catch (thrown) {
      return connect(this.#options).catch(() => {
        throw new this.#ToolError(`${explain(refusal)}; it cannot be started here: ${explain(thrown)}`);
      });
    }
  }

  readonly #fetch: typeof globalThis.fetch = async (input, init) => {
    try {
      return await globalThis.fetch(input, init);
    } catch (thrown) {
      this.#found = undefined;
      throw thrown;
    }
  };
}

/** With the settings of variables and of the config file, at the port of the address. */
async function startInMemory(url: string, { variables, err }: Terminal): Promise<Running> {
  const command = new Command().exitOverride();
  for (const option of serveOptions(variables)) command.addOption(option);
  command.parse(['--memory', '--port', new URL(url).port || '80', '--log-level', 'warn'], { from: 'user' });
  await readConfigFile(command, '.');
  return startServing(configOf(command.opts<ServeOptions>(), command, variables), err);
}
