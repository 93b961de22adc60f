import { aaguidBytes } from '../../src/webauthn/aaguid.js';
import { attestationRoot } from '../../packages/testing/src/attester.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import type { SoftAuthenticatorOptions } from '../../packages/testing/src/soft-authenticator.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';

const ZEROS = '00000000-0000-0000-0000-000000000000';

/** Numbers that are the same in every run (mulberry32). */
function numbersFrom(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let n = Math.imul(state ^ (state >>> 15), 1 | state);
    n = (n + Math.imul(n ^ (n >>> 7), 61 | n)) ^ n;
    return ((n ^ (n >>> 14)) >>> 0) % below;
  };
}

/** Draws policies and authenticators of these models, the same ones in every run. */
export function randomPolicies(seed: number, models: readonly string[]) {
  const below = numbersFrom(seed);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const some = <T>(list: readonly T[]): T[] => {
    const chosen = list.filter(() => below(2) === 0);
    return chosen.length > 0 ? chosen : [one(list)];
  };
  const moded = (member: 'value' | 'list', value: unknown) => ({
    mode: one(['off', 'report', 'enforce']),
    [member]: value,
  });

  /** A policy with a random subset of the rules that a key can break. */
  function anyPolicy(): RelyingPartyPolicy {
    const rules: Record<string, unknown> = {
      userVerification: moded('value', 'required'),
      residentKey: moded('value', 'required'),
      backupEligible: moded('value', 'refused'),
      algorithms: moded('list', some(['es256', 'eddsa', 'rs256'])),
      minPinLength: moded('value', one([4, 6, 8])),
      block: moded('list', some([...models, ZEROS])),
      allow: moded('list', some([...models, ZEROS])),
      formats: moded('list', some(['packed', 'fido-u2f', 'none'])),
      status: {
        mode: one(['off', 'report', 'enforce']),
        RETIRED: one(['accept', 'warn', 'refuse']),
      },
      trust: moded('value', one(['known', 'all'])),
      certification: moded('value', one(['L1', 'L2', 'L3'])),
      certificationProfiles: moded('list', some(['consumer', 'enterprise'])),
      fips: moded('value', one(['L1', 'L2'])),
      fipsRevision: moded('value', one(['140-2', '140-3'])),
      fipsPhysicalSecurity: moded('value', one(['L1', 'L2', 'L3'])),
      keyProtection: moded('list', some(['software', 'hardware', 'tee'])),
      matcherProtection: moded('list', some(['software', 'on_chip'])),
      attestationTypes: moded('list', some(['basic', 'self', 'none'])),
      maxCredentials: moded('value', 1 + below(3)),
      aaguid: one(['verified', 'attested', 'reported']),
      anchors: [pemOf(attestationRoot().certificate)],
    };
    const chosen = Object.entries(rules).filter(() => below(3) === 0);
    return { ...Object.fromEntries(chosen), onFinding: 'report' };
  }

  const anyDevice = (): SoftAuthenticatorOptions => {
    const attestation = one(['none', 'packed-self', 'packed', 'packed', 'fido-u2f'] as const);
    return {
      attestation,
      ...(attestation === 'fido-u2f' ? { algorithm: -7 } : { algorithm: one([-7, -8]) }),
      ...(attestation === 'fido-u2f' ? {} : { aaguid: aaguidBytes(one(models)) }),
      minPinLength: one([4, 6, 8]),
      userVerified: below(3) > 0,
      backupEligible: below(3) === 0,
    };
  };

  return { one, anyPolicy, anyDevice };
}
