import { html, type Html } from '../../pages/html.ts';
import { field, form } from '../../pages/parts.ts';
import type { World } from '../../world/world.ts';
import type { Answer } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { showPage } from '../page-answer.ts';
import { nextStep } from './steps.ts';
import { openTransaction, submittedTransaction, type Transaction } from './transaction.ts';

export const loginPage = {
  LoginPage_Show({ path, cookies }, world) {
    return signInPage(world, openTransaction(world, path.transaction_id, cookies));
  },

  LoginPage_SignIn({ path, cookies, body }, world) {
    const transaction = submittedTransaction(world, path.transaction_id, cookies, body);
    const email = body?.email?.trim() ?? '';
    const user = world.users.findBy('email', email.toLowerCase());
    if (!user) return signInPage(world, transaction, { email, problem: 'Nobody has this address.' });
    const [membership] = world.memberships.list('user_id', user.id);
    const known = world.login_transactions.update(transaction.id, {
      user_id: user.id,
      ...(membership && { organization_id: membership.organization_id }),
    });
    return nextStep(world, known, cookies, 303);
  },
} satisfies Partial<Operations>;

interface Filled {
  email?: string;
  problem?: string;
}

function signInPage(world: World, transaction: Transaction, filled: Filled = {}): Answer {
  const { name } = world.clients.get(transaction.client_id);
  const { redirect_uri } = transaction;
  return showPage(
    { title: `Sign in to ${name}`, body: signInForm(transaction, name, filled), leadsTo: [redirect_uri] },
    { status: filled.problem ? 400 : 200 },
  );
}

function signInForm({ id, csrf_token, login_hint }: Transaction, name: string, filled: Filled): Html {
  const email = field({
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    value: filled.email ?? login_hint,
    problem: filled.problem,
    autocomplete: 'username',
    required: true,
    autofocus: true,
  });
  const content = html`${email}<button>Go on</button>`;
  return html`<section class="card">
    <h1>Sign in</h1>
    <p class="faint">to go on to ${name}</p>
    ${form({ action: `/ui/login/${id}`, csrf_token, content })}
  </section>`;
}
