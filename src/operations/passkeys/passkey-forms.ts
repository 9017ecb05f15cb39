import { html, raw, type Html } from '../../pages/html.ts';

interface PasskeyFormOptions {
  action: string;
  csrf_token: string;
  /** For `navigator.credentials`, as JSON. */
  options: Record<string, unknown>;
  /** Without it, only autofill starts the ceremony. */
  button: string | undefined;
  hidden: Readonly<Record<string, string>>;
  /** Fields that the script fills in. */
  filled: readonly string[];
  /** Offers passkeys in the field with `autocomplete="username webauthn"`. */
  autofill?: boolean;
}

/** A form that only a script can send, and that stays hidden without one. */
export const passkeyForm = (form: PasskeyFormOptions): Html =>
  html`<form
    method="post"
    action="${form.action}"
    data-passkey="${JSON.stringify(form.options)}"
    ${form.autofill && raw('data-autofill="yes"')}
    hidden
  >
    ${Object.entries({ csrf_token: form.csrf_token, ...form.hidden }).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    ${form.filled.map((name) => html`<input type="hidden" name="${name}" value="" />`)}
    ${form.button && html`<button class="quiet">${form.button}</button>`}
    <p class="alert bad" role="alert" hidden></p>
  </form>`;

/** What both scripts share: `run` starts the ceremony, `values` reads its answer. */
const script = (run: string, values: string) => `
const form = document.querySelector('form[data-passkey]');
const written = JSON.parse(form?.dataset.passkey ?? 'null');
const waiting = new AbortController();
const send = (credential) => {
  const { rawId, response, authenticatorAttachment = '' } = credential.toJSON();
  for (const [name, value] of Object.entries(${values})) form.elements[name].value = value ?? '';
  form.submit();
};
const fail = (problem) => {
  if (problem.name === 'AbortError') return;
  const text = form.querySelector('[role=alert]');
  text.textContent = 'The passkey did not answer: ' + problem.message;
  text.hidden = false;
};
${run}
if (form && window.PublicKeyCredential?.parseCreationOptionsFromJSON) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    waiting.abort();
    ask().then(send, fail);
  });
  if (form.dataset.autofill)
    PublicKeyCredential.isConditionalMediationAvailable?.().then((can) => {
      if (can) ask({ mediation: 'conditional', signal: waiting.signal }).then(send, fail);
    });
}
`;

export const SIGN_IN_SCRIPT = script(
  `const ask = (more) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(written), ...more });`,
  `{ credential_id: rawId, authenticator_data: response.authenticatorData, client_data_json: response.clientDataJSON,
    signature: response.signature, user_handle: response.userHandle }`,
);

export const REGISTRATION_SCRIPT = script(
  `const ask = () => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(written) });`,
  `{ credential_id: rawId, attestation_object: response.attestationObject, client_data_json: response.clientDataJSON,
    transports: response.transports.join(','), authenticator_attachment: authenticatorAttachment }`,
);
