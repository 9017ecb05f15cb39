/** Signs users in with a code that is sent by email. */
export class SignIn {
  constructor({ url, accessToken }) {
    this.url = url;
    this.accessToken = accessToken;
  }

  async sendCode(email) {
    const { auth_request_id } = await this.#post('/api/v1/passwordless/email/send', {
      email,
      template: 'SIGNIN',
    });
    return auth_request_id;
  }

  /** Resolves to the email address that the code proves, or to a message for the user. */
  async enterCode(auth_request_id, code) {
    try {
      const { email } = await this.#post('/api/v1/passwordless/email/verify', { auth_request_id, code });
      return { email };
    } catch (error) {
      return { notice: error.status === 400 ? 'This code is wrong or too old.' : 'Please try again later.' };
    }
  }

  async #post(path, body) {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
    return response.json();
  }
}
