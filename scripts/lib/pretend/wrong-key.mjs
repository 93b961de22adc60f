import { createHash, generateKeyPairSync, sign } from 'node:crypto';

const PRESENT_AND_VERIFIED = 0x05;
const COUNTER = Buffer.from([0, 0, 0, 1]);

/** Signs with a key that nobody has registered, whatever credential it is asked to be. */
export class WrongKey {
  #origin;
  #authenticatorData;
  #privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  /** @param domain of the relying party */
  constructor(domain) {
    this.#origin = `https://${domain}`;
    const rpIdHash = createHash('sha256').update(domain).digest();
    this.#authenticatorData = Buffer.concat([rpIdHash, Buffer.of(PRESENT_AND_VERIFIED), COUNTER]);
  }

  /** The body of a result call for the first key that a begin call's answer names. */
  assertionFor({ challenge, allowCredentials: [{ id }] }) {
    const clientData = {
      type: 'webauthn.get',
      challenge,
      origin: this.#origin,
      crossOrigin: false,
    };
    const clientDataJSON = Buffer.from(JSON.stringify(clientData));
    const hash = createHash('sha256').update(clientDataJSON).digest();
    const signature = sign(
      'sha256',
      Buffer.concat([this.#authenticatorData, hash]),
      this.#privateKey,
    );
    const response = {
      clientDataJSON: clientDataJSON.toString('base64url'),
      authenticatorData: this.#authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
    };
    return { type: 'public-key', id, rawId: id, response };
  }
}
