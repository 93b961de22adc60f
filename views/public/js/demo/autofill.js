import { text } from '../texts.js';

const WAITS = text('waits');
const CANNOT = text('cannot');

/** Offers passkeys in the list of a form's field while its scene is shown. */
export class Autofill {
  #field;
  #state;
  #client;

  constructor(field, state) {
    this.#field = field;
    this.#state = state;
  }

  /** Resolves when the user has chosen a passkey there; with `undefined` if another call aborted it. */
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
