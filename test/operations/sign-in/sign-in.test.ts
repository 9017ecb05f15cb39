import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { Browser } from '../../support/browser.ts';

const CALLBACK = 'http://localhost:3000/callback';
const AUTHORIZE = `/oauth/authorize?client_id=skc_1000000000000000001&redirect_uri=${CALLBACK}&response_type=code&scope=openid&state=s1`;

describe('a sign-in', () => {
  it('shows the page, signs the user in and redirects to the application with a code', async () => {
    const browser = new Browser(await boot());

    const page = await browser.open(AUTHORIZE);
    const back = await page.submit({ user_id: 'usr_10000000000000101' });

    expect(page.text).toContain('for="email"');
    expect(back.url).toMatch(
      /^http:\/\/localhost:3000\/callback\?code=\w{40}&state=s1&iss=http%3A%2F%2Flocalhost%3A8080$/,
    );
  });

  it('shows an error as a page', async () => {
    const { anonymous } = await boot();

    const response = await anonymous.get('/ui/login/req_10000000000000001').expect(404);

    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.headers['content-security-policy']).toContain("default-src 'none'");
    expect(response.text).toContain('Sign-in req_10000000000000001 not found.');
  });
});
