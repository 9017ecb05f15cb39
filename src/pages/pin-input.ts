import { html, type Fragment, type Html } from './html.ts';

interface PinOptions {
  length: number;
  isNumeric: boolean;
  problem?: Fragment;
}

/** The field for a mailed code. `PIN_SCRIPT` makes one input for each character of it. */
export const pinField = ({ length, isNumeric, problem }: PinOptions): Html =>
  html`<div class="field" data-length="${length}">
    <label for="code">Code</label>
    <input
      id="code"
      name="code"
      type="text"
      value=""
      autocomplete="one-time-code"
      inputmode="${isNumeric ? 'numeric' : 'text'}"
      autofocus
      required
      ${problem && html`aria-describedby="code-problem" aria-invalid="true"`}
    />
    ${problem && html`<p class="alert bad" role="alert" id="code-problem">${problem}</p>`}
  </div>`;

/**
 * Replaces the field by inputs of one character, with the attributes that tests of sign-in pages look for. Typing and
 * pasting fill one input after another. The form submits a hidden field with all characters.
 */
export const PIN_SCRIPT = `(() => {
  const whole = document.getElementById('code');
  const length = Number(whole.parentElement.dataset.length);
  const group = document.createElement('div');
  group.className = 'pin';
  group.dataset.scope = 'pin-input';
  group.dataset.part = 'control';
  const cells = Array.from({ length }, (_, index) => {
    const cell = whole.cloneNode();
    cell.removeAttribute('name');
    cell.removeAttribute('autofocus');
    cell.dataset.scope = 'pin-input';
    cell.dataset.part = 'input';
    if (index > 0) {
      cell.removeAttribute('id');
      cell.autocomplete = 'off';
      cell.setAttribute('aria-label', 'Character ' + (index + 1) + ' of ' + length);
    }
    return cell;
  });
  const focusOn = (index) => {
    const cell = cells[Math.max(0, Math.min(index, length - 1))];
    cell.focus();
    cell.select();
  };
  const tell = () => { whole.value = cells.map((cell) => cell.value).join(''); };
  const spread = (text, from) => {
    const characters = [...text.replace(/[\\s-]/g, '')].slice(0, length - from);
    characters.forEach((character, index) => { cells[from + index].value = character; });
    tell();
    if (characters.length > 0) focusOn(from + characters.length);
  };
  cells.forEach((cell, index) => {
    cell.addEventListener('input', () => {
      const typed = cell.value;
      cell.value = '';
      spread(typed, index);
    });
    cell.addEventListener('paste', (event) => {
      event.preventDefault();
      spread(event.clipboardData.getData('text'), index);
    });
    cell.addEventListener('focus', () => cell.select());
    cell.addEventListener('keydown', (event) => {
      const steps = { ArrowLeft: -1, ArrowRight: 1 };
      if (event.key === 'Backspace' && cell.value === '' && index > 0) {
        cells[index - 1].value = '';
        tell();
        focusOn(index - 1);
        event.preventDefault();
      } else if (event.key in steps) {
        focusOn(index + steps[event.key]);
        event.preventDefault();
      }
    });
  });
  group.append(...cells);
  whole.before(group);
  whole.type = 'hidden';
  whole.removeAttribute('id');
  focusOn(0);
})();`;
