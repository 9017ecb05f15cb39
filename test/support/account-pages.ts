import { ACCOUNTS, auth, NOW } from './accounts.ts';
import { boot, type Agent, type Booted } from './boot.ts';
import { Browser, type Visit } from './browser.ts';

export const VERIFY_URL = 'https://app.example.com/verify';
export const DONE_URL = 'https://app.example.com/connected';

type Settings = Partial<{
  user_verification: 'off' | 'service' | 'custom' | 'auto';
  post_user_verify_redirect_url: string;
  user_verify_url: string;
}>;

/**
 * A frozen environment with these settings (by default: custom user verification and a final redirect URL),
 * and a browser.
 */
export async function pages(settings: Settings = {}) {
  const booted = await boot({ now: NOW, baseUrl: 'http://localhost:8080' });
  await configure(booted.control, {
    user_verification: 'custom',
    post_user_verify_redirect_url: DONE_URL,
    ...settings,
  });
  return { ...booted, browser: new Browser(booted) };
}

export const configure = (control: Agent, settings: Settings) =>
  control.patch('/state/settings/settings').send(settings).expect(200);

export async function linkTo(api: Agent, id: string, wanted: object = {}): Promise<string> {
  const { body } = await api
    .post(`${ACCOUNTS}/magic_link`)
    .send({ id, ...wanted })
    .expect(200);
  return body.link as string;
}

/** Opens a new link of the account. */
export const follow = async (
  { api, browser }: Pick<Booted, 'api'> & { browser: Browser },
  id: string,
  wanted?: object,
): Promise<Visit> => browser.open(await linkTo(api, id, wanted));

export const statusOf = async (api: Agent, id: string) => (await auth(api, id)).status as string;

/** The events of a connected account since the test began, oldest first. */
export async function eventsOf(control: Agent, id: string): Promise<[string, string][]> {
  const { body } = await control.get('/state/events').expect(200);
  const rows = body.rows as { type: string; connected_account_id?: string; data: { status: string } }[];
  return rows
    .filter((each) => each.connected_account_id === id)
    .map(({ type, data }): [string, string] => [type.replace('connected_account.', ''), data.status]);
}
