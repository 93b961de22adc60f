import { ensure } from '../../failure.js';
import {
  type AuthorizationList,
  integersOf,
  type KeyDescription,
  readKeyDescription,
} from './android-key-description.js';
import {
  type Certificate,
  importCertificateKey,
  loadCertificate,
} from '../../certificates/certificate.js';
import { withoutRoot } from '../../certificates/certificate-path.js';
import {
  type AttestationInput,
  type AttestationResult,
  readAlgorithm,
  readCertificates,
  readSignature,
  statementMap,
} from '../format.js';

const ID_KEY_DESCRIPTION = '1.3.6.1.4.1.11129.2.1.17';
/** Tag numbers of the authorization list. */
const FIELD = { purpose: 1, allApplications: 600, origin: 702 } as const;
const KM_PURPOSE_SIGN = 2;
const KM_ORIGIN_GENERATED = 0;

/** WebAuthn L3 §8.4 "Android Key Attestation Statement Format", its verification procedure. */
export function verifyAndroidKey(input: AttestationInput): AttestationResult {
  const { key, authData, clientDataHash } = input;
  const statement = statementMap(input.statement, ['alg', 'sig', 'x5c']);
  const alg = readAlgorithm(statement);
  const signature = readSignature(statement);
  const [leafDer, ...others] = readCertificates(statement);
  const leaf = loadCertificate(leafDer);
  const authorities = others.map(loadCertificate);
  const signed = Buffer.concat([authData, clientDataHash]);
  const certificateKey = importCertificateKey(leaf, alg);
  ensure(certificateKey.verify(signed, signature), 'attestation-signature');
  const sameKey = leaf.publicKey.equals(key.key);
  ensure(sameKey, 'attestation-mismatch', 'the certificate is of another key');
  const description = describe(leaf);
  const sameChallenge = description.challenge.equals(clientDataHash);
  ensure(sameChallenge, 'attestation-mismatch', 'the attestation challenge is another');
  checkAuthorizations(description);
  // Phones send the root as well.
  const trustPath = withoutRoot([leaf, ...authorities]).map(({ der }) => der);
  return { type: 'basic', trustPath };
}

function describe({ extensions }: Certificate): KeyDescription {
  const extension = extensions.get(ID_KEY_DESCRIPTION);
  ensure(extension !== undefined, 'attestation-certificate', 'the key description is missing');
  return readKeyDescription(extension.value);
}

/**
 * Checks the union of both lists, as §8.4 says for servers that accept keys outside the trusted environment.
 * Two empty lists claim nothing at all, which the test vector of §16 counts as valid.
 */
function checkAuthorizations({ lists }: KeyDescription): void {
  const shared = lists.some((list) => list.has(FIELD.allApplications));
  ensure(!shared, 'attestation-certificate', 'the key is open to all applications');
  if (lists.every((list) => list.size === 0)) return;
  const generated = allEqual(lists, FIELD.origin, KM_ORIGIN_GENERATED);
  ensure(generated, 'attestation-certificate', 'the key was not generated on the device');
  const signs = allEqual(lists, FIELD.purpose, KM_PURPOSE_SIGN);
  ensure(signs, 'attestation-certificate', 'the key is not for signing alone');
}

/** Whether at least one list has the field, and every value in it is the expected one. */
function allEqual(lists: readonly AuthorizationList[], field: number, expected: number): boolean {
  const values = lists.flatMap((list) => {
    const items = list.get(field);
    return items === undefined ? [] : integersOf(items);
  });
  return values.length > 0 && values.every((value) => value === expected);
}
