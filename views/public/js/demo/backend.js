import { backendCode } from './backend-code.js';

const $ = (id) => document.getElementById(id);

/** The card with the task of a backend, and its code in the chosen programming language. */
export class Backend {
  #buttons;
  #code;
  #language = 'typescript';

  constructor() {
    this.#buttons = [...document.querySelectorAll('.languages button')];
    for (const button of this.#buttons) {
      button.addEventListener('click', () => this.#choose(button.value));
    }
  }

  /** @param occasion without one the card is hidden */
  show(occasion, facts) {
    $('backend').hidden = !occasion;
    if (!occasion) return;
    const [text, code] = backendCode(occasion, facts);
    $('backend-text').textContent = text;
    $('backend-code').hidden = !code;
    this.#code = code;
    this.#choose(this.#language);
  }

  #choose(language) {
    this.#language = language;
    for (const button of this.#buttons) button.ariaPressed = String(button.value === language);
    $('backend-snippet').textContent = this.#code?.[language] ?? '';
  }
}
