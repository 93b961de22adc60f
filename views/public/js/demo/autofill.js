import { text } from '../texts.js';

const WAITS = text('waits');
const CANNOT = text('cannot');

/** The list of a form's field, in which passkeys are offered while its scene is shown. */
export class Autofill {
  #field;
  #state;
  #client;

  constructor(field, state) {
    this.#field = field;
    this.#state = state;
  }

  /** Resolves when somebody chose a passkey there; with nothing where something else came first. */
  async wait(client) {
    this.stop();
    this.#client = client;
    this.#state.textContent = WAITS;
    try {
      return await client.autofill(this.#field);
    } catch (error) {
      if (error.kind === 'unsupported') this.#state.textContent = CANNOT;
      else if (error.kind !== 'aborted') throw error;
      return undefined;
    } finally {
      if (this.#state.textContent === WAITS && this.#client === client) this.#say('');
    }
  }

  stop() {
    this.#client?.abort();
    this.#client = undefined;
    this.#say('');
  }

  #say(words) {
    this.#state.textContent = words;
  }
}
