import { html, type Html } from '../html.ts';
import { alert } from '../parts.ts';

interface DeniedPage {
  application: string;
  /** Of the interceptor, as it stands. */
  message: string;
  /** To the application, which hears of it there. */
  back: string;
}

/** Who the user is has been proved, and yet they may not go on. */
export const deniedBody = ({ application, message, back }: DeniedPage): Html =>
  html`<section class="card">
    <h1>Not signed in</h1>
    ${alert('bad', message)}
    <a class="button quiet" href="${back}">Back to ${application}</a>
  </section>`;
