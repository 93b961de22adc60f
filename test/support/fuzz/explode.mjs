import { once } from 'node:events';
import { loadCertificate } from '../../../dist/webauthn/certificates/certificate.js';
import { readJws } from '../../../dist/webauthn/attestation/jws.js';
import {
  readTpmCertifyInfo,
  readTpmPublic,
} from '../../../dist/webauthn/attestation/tpm/tpm-structures.js';
import {
  parseAttestedAuthenticatorData,
  parseAuthenticatorData,
} from '../../../dist/webauthn/authenticator-data.js';
import { readAttestationObject } from '../../../dist/webauthn/attestation/attestation-object.js';
import { decodeCbor } from '../../../dist/webauthn/cbor.js';
import { parseClientData } from '../../../dist/webauthn/client-data.js';
import { importCoseKey } from '../../../dist/webauthn/keys/cose-key.js';
import { readMetadataBlob } from '../../../dist/webauthn/metadata/blob.js';

/**
 * The program of a child process with little memory: gives the bytes of its standard input to every
 * parser as it was built, and says whether each refused them by an error of the core.
 */
const PARSERS = [
  decodeCbor,
  importCoseKey,
  parseClientData,
  parseAuthenticatorData,
  parseAttestedAuthenticatorData,
  readAttestationObject,
  loadCertificate,
  readTpmPublic,
  readTpmCertifyInfo,
  readJws,
  (bytes) => readMetadataBlob(bytes, { at: new Date() }),
];
const NAMED = new Set(['CborError', 'CeremonyError', 'MetadataError']);

const parts = [];
process.stdin.on('data', (part) => parts.push(part));
await once(process.stdin, 'end');
const bomb = Buffer.concat(parts);

const taken = PARSERS.filter((parse) => {
  try {
    parse(bomb);
    return true;
  } catch (error) {
    if (NAMED.has(error.name)) return false;
    throw error;
  }
});
console.log(taken.length === 0 ? 'refused' : `taken by ${taken.map(({ name }) => name).join()}`);
