/** What a model is told when it connects. */
export const INSTRUCTIONS = `Understudy simulates the Scalekit API (organizations, users, sign-ins, connected accounts, tools, webhooks) for tests. These tools control the simulator; the application under test calls it as it would call Scalekit.

Begin with get_status: it has the url, client_id and client_secret for the application or an SDK, and what happened last.

- A call failed: explain_call says why and what to do.
- Make calls fail: list_scenarios, then load_scenario by name, or with yaml of your own (check_scenario names mistakes). unload_scenario undoes it.
- Try a call without the application: describe_operation, then call_operation.
- Time: advance_clock lets tokens, invitations and retries come due; never sleep.
- Codes and links of mails: list_mails. Webhooks: list_deliveries.
- Experiments: take_snapshot before, restore_snapshot after; or create_environment with copy_of, and name it as environment.

When you write tests for a project: do not share the environment default. In TypeScript, import test from understudy-server/vitest (or jest, playwright): each test gets an environment env with env.url, env.clientId, env.clientSecret, env.scenario(name), env.clock.advance('25h'), env.mail.wait(), env.requests.verify(). Python has a pytest plugin, Go and Java have packages. Read the page first: read_docs with page javascript or sdks. Force failures with scenarios rather than with mocks of the SDK, wait with the wait calls rather than with sleep, and prove a scenario here before you write it into a test.`;
