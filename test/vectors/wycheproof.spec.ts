import { createPublicKey } from 'node:crypto';
import { supportedAlgorithms, signatureAlgorithm } from '../../src/webauthn/keys/algorithms.js';
import { VerificationKey } from '../../src/webauthn/keys/cose-key.js';
import { filesIn, readJson, reportMissing, vectorsAvailable } from './vectors.js';

interface SignatureTest {
  readonly tcId: number;
  readonly msg: string;
  readonly sig: string;
  readonly result: 'valid' | 'acceptable' | 'invalid';
}

interface Suite {
  readonly numberOfTests: number;
  readonly testGroups: readonly {
    readonly publicKeyDer: string;
    readonly tests: readonly SignatureTest[];
  }[];
}

const ALGORITHM_OF_FILE: readonly (readonly [prefix: string, alg: number])[] = [
  ['ecdsa_secp256r1_sha256', -7],
  ['ecdsa_secp384r1_sha384', -35],
  ['ecdsa_secp521r1_sha512', -36],
  ['ed25519', -8],
  ['rsa_signature_2048_sha256', -257],
  ['rsa_pss_2048_sha256_mgf1_32', -37],
];

describe('the Wycheproof vectors in our signature check', () => {
  if (!vectorsAvailable()) {
    it('reports that the Wycheproof vectors are missing', () => {
      reportMissing('Wycheproof signature vectors');
      expect(supportedAlgorithms()).toContain(-7);
    });
    return;
  }

  it.each(filesIn('wycheproof'))(
    'accepts no invalid and refuses no valid signature of Wycheproof’s %s',
    (file) => {
      const known = ALGORITHM_OF_FILE.find(([prefix]) => file.startsWith(prefix));
      expect(known).toBeDefined();
      const suite = readJson<Suite>(`wycheproof/${file}`);
      expect(suite.numberOfTests).toBeGreaterThan(0);
      expect(mistakes(suite, known?.[1] ?? 0)).toEqual([]);
    },
  );
});

function keyOf(alg: number, spki: string): VerificationKey {
  const algorithm = signatureAlgorithm(alg);
  if (algorithm === undefined) throw new Error(`algorithm ${alg} is not supported`);
  const key = createPublicKey({ key: Buffer.from(spki, 'hex'), format: 'der', type: 'spki' });
  return new VerificationKey(algorithm, key);
}

/** Vectors on which our verdict differs; `acceptable` may fall either way. */
function mistakes(suite: Suite, alg: number): readonly number[] {
  return suite.testGroups.flatMap((group) => {
    const key = keyOf(alg, group.publicKeyDer);
    return group.tests
      .filter(({ msg, sig, result }) => {
        const verified = key.verify(Buffer.from(msg, 'hex'), Buffer.from(sig, 'hex'));
        return result !== 'acceptable' && verified !== (result === 'valid');
      })
      .map(({ tcId }) => tcId);
  });
}
