import { suggestAmong, shortened } from '@understudy/text/suggestion';
import { ToolError } from './service-address.ts';

/** What a model is told when it connects. */
export const INSTRUCTIONS = `Understudy simulates the Scalekit API (organizations, users, sign-ins, connected accounts, tools, webhooks) for tests. These tools control the simulator; the application under test calls it as it would call Scalekit.

Begin with get_status: it has the url, client_id and client_secret for the application or an SDK, and what happened last.

- A call failed: explain_call says why and what to do.
- Make calls fail: list_scenarios, then load_scenario by name, or with yaml of your own (check_scenario names mistakes). unload_scenario undoes it.
- Try a call without the application: describe_operation, then call_operation.
- Time: advance_clock lets tokens, invitations and retries come due; never sleep.
- Codes and links of mails: list_mails. Webhooks: list_deliveries.
- Experiments: take_snapshot before, restore_snapshot after; or create_environment with copy_of, and name it as environment. Every tool with an argument environment works on that one, or without it on the one of this connection.
- wait takes 4s if only count is given.

When you write tests for a project: do not share the environment default. In TypeScript, import test from understudy-server/vitest (or jest, playwright): each test gets an environment env with env.url, env.clientId, env.clientSecret, env.scenario(name), env.clock.advance('25h'), env.mail.wait(), env.requests.verify(). Python has a pytest plugin, Go and Java have packages. Read the page first: read_docs with page javascript or sdks. Force failures with scenarios rather than with mocks of the SDK, wait with the wait calls rather than with sleep, and prove a scenario here before you write it into a test.`;

interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
}

interface AgentPrompt {
  name: string;
  title: string;
  description: string;
  arguments: PromptArgument[];
}

interface WrittenPrompt extends AgentPrompt {
  text: (args: Record<string, string>) => string;
}

const PROMPTS: readonly WrittenPrompt[] = [
  {
    name: 'reproduce_failure',
    title: 'Reproduce this failure',
    description: 'Finds the state or the scenario that makes the application fail as described.',
    arguments: [
      { name: 'failure', description: 'What went wrong: a message, a log, a status.', required: true },
    ],
    text: ({ failure }) => `Reproduce this failure against the Understudy simulator:

${failure}

1. get_status and list_calls show what was called; explain_call shows why a call was answered as it was.
2. take_snapshot with name before-reproduction, or work in a copy (create_environment with copy_of).
3. Find the smallest cause: a scenario of list_scenarios, one of your own, a changed row, or a moved clock.
4. Make the call with call_operation (or run the application) and compare the answer with the failure.
5. Write a test for the project that loads the scenario and shows the failure, then undo everything with restore_snapshot.`,
  },
  {
    name: 'write_scenario',
    title: 'Write a scenario for …',
    description: 'Writes a scenario file that forces a failure or a state, and proves it.',
    arguments: [
      {
        name: 'wanted',
        description: 'Such as: the second CreateOrganization fails with 429.',
        required: true,
      },
    ],
    text: ({ wanted }) => `Write an Understudy scenario for: ${wanted}

1. list_scenarios with search: perhaps one exists, or comes close.
2. describe_operation finds the id of the operation for \`on:\`; read_docs with page scenario-reference has the format.
3. Write the YAML and call check_scenario until it has no complaints and no warnings.
4. take_snapshot, load_scenario with yaml, make the calls with call_operation, and check with explain_call that the rule applied to the right call.
5. restore_snapshot. Save the file with save_scenario, or into the project's folder of scenarios, and say how a test loads it.`,
  },
  {
    name: 'explain_last_failure',
    title: 'Explain the last failed call',
    description: 'Explains the latest call that was answered with an error, and what to change.',
    arguments: [],
    text: () => `Explain the last failed call in Understudy.

Call explain_call without an id. Say in a few sentences what was called, what the answer was, and why: a scenario rule, a broken rule of the contract, a missing row, a token, an interceptor, or the clock. If the cause is in this project's code, show the line to change. If a scenario did it on purpose, say so and how to undo it.`,
  },
];

export const listPrompts = (): AgentPrompt[] => PROMPTS.map(({ text: _, ...prompt }) => prompt);

/** Throws ToolError for an unknown prompt or a missing argument. */
export function promptText(name: string, args: Record<string, string>): string {
  const prompt = PROMPTS.find((each) => each.name === name);
  const names = PROMPTS.map((each) => each.name);
  if (!prompt) throw new ToolError(`there is no prompt ${shortened(name)}${suggestAmong(name, names)}`);
  const missing = prompt.arguments.find((each) => each.required && !args[each.name]);
  if (missing) throw new ToolError(`${missing.name}: missing; ${missing.description}`);
  return prompt.text(args);
}
