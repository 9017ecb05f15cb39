import { environmentName } from '../route.ts';

/** A sign-in that this browser has begun and that may come back. */
export interface Begun {
  state: string;
  nonce: string;
  client_id: string;
  redirect_uri: string;
  /** The e-mail address of the user who was asked for; empty: anybody. */
  expected: string;
  /** Absent without PKCE. */
  verifier?: string;
}

const KEY = 'understudy-sign-ins';
const MOST = 20;

/** Sign-ins come back in another tab, so that they are in the storage that tabs share. */
export function remember(begun: Begun): void {
  localStorage.setItem(KEY, JSON.stringify([begun, ...remembered()].slice(0, MOST)));
}

export const find = (state: string): Begun | undefined => remembered().find((each) => each.state === state);

function remembered(): Begun[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as Begun[];
  } catch {
    return [];
  }
}

/** The redirect address at which the dashboard takes codes of the environment that is shown. */
export const callbackAddress = (): string => ownAddress('callback');

/** Where an identity provider may send a browser to begin a sign-in. */
export const initiateAddress = (): string => ownAddress('initiate');

const ownAddress = (step: string) => `${location.origin}/_control/sign-in/${environmentName.value}/${step}`;
