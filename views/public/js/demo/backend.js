import { backendCode } from './backend-code.js';

const $ = (id) => document.getElementById(id);

/** The card that tells what a backend does, in the language that was chosen. */
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

  /** Without an occasion there is nothing to tell. */
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
