import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { encode } from './cbor.mjs';

export const RP_ID = 'localhost';
export const ORIGIN = 'http://localhost:8080';
const RP_ID_HASH = sha256(RP_ID);
const USER_PRESENT = 0x01;
const ATTESTED = 0x40;

export const newKeyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A public key in the format of credentials (COSE). */
export function coseKeyOf(publicKey) {
  // Every such public key ends with an uncompressed point.
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-64);
  const x = point.subarray(0, 32);
  const y = point.subarray(32);
  return encode(new Map([[1, 2], [3, -7], [-1, 1], [-2, x], [-3, y]])); // prettier-ignore
}

/** A security key with one ES256 credential: genuine signatures, and a counter that increases. */
export class Authenticator {
  #keyPair;
  #id;
  #counts;
  #count = 0;

  /** @param counts whether it has a signature counter; a synced passkey does not */
  constructor({ keyPair = newKeyPair(), id = randomBytes(16), counts = true } = {}) {
    this.#keyPair = keyPair;
    this.#id = id;
    this.#counts = counts;
  }

  /** The answer to creation options, with attestation `none`. */
  register(challenge) {
    const idLength = Buffer.from([0, this.#id.length]);
    const attested = [Buffer.alloc(16), idLength, this.#id, coseKeyOf(this.#keyPair.publicKey)];
    const authData = Buffer.concat([this.#data(USER_PRESENT | ATTESTED), ...attested]);
    const attestation = new Map([['fmt', 'none'], ['attStmt', new Map()], ['authData', authData]]); // prettier-ignore
    return this.#answer({
      clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
      attestationObject: encode(attestation).toString('base64url'),
    });
  }

  /** The answer to request options. */
  authenticate(challenge) {
    if (this.#counts) this.#count += 1;
    const data = clientData('webauthn.get', challenge);
    const authenticatorData = this.#data(USER_PRESENT);
    const signed = Buffer.concat([authenticatorData, sha256(data)]);
    return this.#answer({
      clientDataJSON: data.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, this.#keyPair.privateKey).toString('base64url'),
    });
  }

  #data(flags) {
    const rest = Buffer.alloc(5);
    rest[0] = flags;
    rest.writeUInt32BE(this.#count, 1);
    return Buffer.concat([RP_ID_HASH, rest]);
  }

  #answer(response) {
    const id = this.#id.toString('base64url');
    return { type: 'public-key', id, rawId: id, response, clientExtensionResults: {} };
  }
}

function clientData(type, challenge) {
  return Buffer.from(JSON.stringify({ type, challenge, origin: ORIGIN, crossOrigin: false }));
}

function sha256(data) {
  return createHash('sha256').update(data).digest();
}
