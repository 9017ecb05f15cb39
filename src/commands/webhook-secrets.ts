import type { ControlClient } from '../client/control.ts';

/** Variables for the secrets of the endpoints that are called, and comments that say whose each is. */
export interface WebhookSecrets {
  variables: Record<string, string>;
  hints: string[];
}

/** The receiver that was there first has the plain name. Unverified: no SDK names a variable for it. */
export async function webhookSecretsOf(control: ControlClient, environment: string): Promise<WebhookSecrets> {
  const endpoints = await control.environment(environment).webhooks.endpoints();
  const called = endpoints.filter(({ kind, secret }) => kind === 'http' && secret !== undefined);
  const named = called.map(({ id, url, secret }, index) => ({
    suffix: index === 0 ? '' : `_${index + 1}`,
    id,
    url: url ?? '',
    secret,
  }));
  const isOne = named.length === 1;
  const pairs = named.flatMap(({ suffix, url, secret }) => [
    [`SCALEKIT_WEBHOOK_SECRET${suffix}`, secret],
    // So that a file of JSON says whose each is, too.
    ...(isOne ? [] : [[`SCALEKIT_WEBHOOK_URL${suffix}`, url]]),
  ]);
  const hints = named.map(
    ({ suffix, id, url }) => `# SCALEKIT_WEBHOOK_SECRET${suffix} signs what goes to ${url} (${id}).`,
  );
  return { variables: Object.fromEntries(pairs) as Record<string, string>, hints: isOne ? [] : hints };
}
