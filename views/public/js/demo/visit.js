/** A little less than the five minutes for which a token vouches for its user. */
const FRESH_MS = 4.5 * 60_000;

/** What this page knows about its user, until it is reloaded. */
export class Visit {
  #signedIn;
  #since = 0;
  #begun;
  #domain;

  signIn(answer) {
    this.#signedIn = answer;
    this.#since = performance.now();
  }

  /** The answer of the last sign-in. */
  get signedIn() {
    return this.#signedIn;
  }

  /** With `--registration first-only` a further key needs the token. */
  tokenOf(username) {
    return this.#signedIn?.username === username ? this.#signedIn.token : undefined;
  }

  /** Whether the last sign-in lets this user change keys. */
  isFresh(username) {
    const isTheirs = this.tokenOf(username) !== undefined && this.#signedIn.userVerified;
    return isTheirs && performance.now() - this.#since < FRESH_MS;
  }

  /** Call this after the answer to a begin call, right before the browser prompts. */
  begun(options) {
    this.#begun = { options, since: performance.now() };
    this.#domain = options.rpId ?? options.rp?.id;
  }

  /** The domain of the relying party, from the server's answer. */
  get domain() {
    return this.#domain ?? location.hostname;
  }

  /** The last request to the browser, for {@link adviceOf}. */
  asked() {
    if (!this.#begun) return undefined;
    const { options, since } = this.#begun;
    const { userVerification, authenticatorAttachment } = options.authenticatorSelection ?? options;
    const isSignIn = options.rpId !== undefined;
    const elapsed = performance.now() - since;
    return { userVerification, authenticatorAttachment, isSignIn, elapsed };
  }
}
