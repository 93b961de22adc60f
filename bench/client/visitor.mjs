import { Authenticator, RP_ID } from './authenticator.mjs';

const HEADERS = `X-ServiceFido-RelyingParty: ${RP_ID}\r\n`;

/** A user with a browser and a security key; each visit starts without a cookie. */
export class Visitor {
  /** Of the last sign-in that the server acknowledged. */
  signCount = 0;
  #authenticator;

  /** @param authenticator a new one, unless the user already exists or has a special one */
  constructor(username, authenticator = new Authenticator()) {
    this.username = username;
    this.#authenticator = authenticator;
  }

  /** @param more further members of the begin call */
  async register(connection, more = {}) {
    const begin = { username: this.username, displayName: this.username, ...more };
    await ceremony(connection, 'register', begin, (...begun) =>
      this.#authenticator.register(...begun),
    );
  }

  /** @returns a function that sends the second call again, and returns the answer */
  async authenticate(connection) {
    const begin = { username: this.username };
    const { signCount, again } = await ceremony(connection, 'authenticate', begin, (challenge) =>
      this.#authenticator.authenticate(challenge),
    );
    this.signCount = signCount;
    return again;
  }

  /** Signs in at another path than that of the usual second call, and with further cookies; returns the answer. */
  async authenticateAt(connection, path, cookies) {
    const begin = JSON.stringify({ username: this.username });
    const options = await connection.post('/fidoapi/authenticate/begin', begin, HEADERS);
    const { challenge } = accepted('authenticate', options);
    const answer = JSON.stringify(this.#authenticator.authenticate(challenge));
    return connection.post(path, answer, `Cookie: ${options.cookie}; ${cookies}\r\n`);
  }

  /**
   * Signs in with a valid assertion that is changed in transit.
   *
   * @returns `{ status, good, sent }`: the server's answer, the assertion before and after
   */
  async authenticateChanged(connection, change) {
    let good, sent;
    const begin = { username: this.username };
    const { status } = await attempt(connection, 'authenticate', begin, (challenge) => {
      good = this.#authenticator.authenticate(challenge);
      return (sent = change(good));
    });
    return { status, good, sent };
  }

  /** A server that accepts this does not verify, and measuring it would be meaningless. */
  async expectRefusal(connection) {
    const forge = (challenge) => {
      const answer = this.#authenticator.authenticate(challenge);
      // The signature of another challenge: well-formed, genuine, and wrong here.
      const { signature } = this.#authenticator.authenticate('AAAA').response;
      return { ...answer, response: { ...answer.response, signature } };
    };
    const refused = await ceremony(connection, 'authenticate', { username: this.username }, forge)
      .then(() => false, () => true); // prettier-ignore
    if (!refused) throw new Error('the server took a wrong signature');
  }
}

async function ceremony(connection, name, begin, answer) {
  const { again, ...result } = await attempt(connection, name, begin, answer);
  return { ...accepted(name, result), again };
}

/**
 * A whole ceremony: returns the server's answer to the second call, successful or not, and how to send that again.
 *
 * @param answer makes the second body from the challenge, and from all members of the first answer
 */
export async function attempt(connection, name, begin, answer, more = '') {
  const headers = HEADERS + more;
  const options = await connection.post(`/fidoapi/${name}/begin`, JSON.stringify(begin), headers);
  const begun = accepted(name, options);
  const body = JSON.stringify(answer(begun.challenge, begun));
  const path = `/fidoapi/${name}/complete`;
  const again = () => connection.post(path, body, `${headers}Cookie: ${options.cookie}\r\n`);
  return { ...(await again()), again };
}

function accepted(name, { status, body }) {
  const answer = status === 200 ? JSON.parse(body) : undefined;
  if (answer?.status !== 'ok') throw new Error(`${name}: ${status} ${body}`);
  return answer;
}
