import { domainToASCII } from 'node:url';
import { invalidArgument } from '../../errors.ts';

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);
/** RFC 1035 2.3.4, without the root's dot. */
const LONGEST = 253;
/** As the contract of the API has it. */
const SHORTEST = 4;

// Unverified: which providers the service knows; these are the ones that people meet.
const PUBLIC = new Set(
  [
    'gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com rocketmail.com icloud.com',
    'me.com mac.com aol.com proton.me protonmail.com pm.me gmx.com gmx.net gmx.de web.de mail.com mail.ru zoho.com',
    'yandex.com yandex.ru fastmail.com hey.com tutanota.com qq.com 163.com 126.com naver.com rediffmail.com',
  ].flatMap((line) => line.split(' ')),
);
const DISPOSABLE = new Set(
  [
    'mailinator.com guerrillamail.com sharklasers.com 10minutemail.com tempmail.com temp-mail.org yopmail.com',
    'trashmail.com throwawaymail.com getnada.com dispostable.com maildrop.cc fakeinbox.com mintemail.com moakt.com',
  ].flatMap((line) => line.split(' ')),
);

/** The name as the service keeps it: lower case, other scripts as DNS writes them. Throws for what an organization can not own. */
export function normalizeName(given: string): string {
  const name = domainToASCII(given).toLowerCase();
  if (name.length < SHORTEST || name.length > LONGEST || !NAME.test(name))
    throw invalidArgument(`invalid domain name ${given}`);
  if (PUBLIC.has(name)) throw invalidArgument(`domain ${name} belongs to a public mail provider`);
  if (DISPOSABLE.has(name)) throw invalidArgument(`domain ${name} belongs to a provider of disposable mail`);
  return name;
}
