import { jest } from '@jest/globals';
import { evaluateCeremony } from '../../src/cli/verify/evaluate.js';
import { isolateLibrary, secondOpinion } from '../../src/cli/verify/second-opinion.js';
import { MetadataIndex } from '../../src/webauthn/metadata/metadata-index.js';
import { type Ceremony, ceremonies } from './vectors.js';
import { describeCollected } from './verdicts.js';

/** Everything except the time, which entries set. */
const REAL_TIMERS = [
  ...(['setTimeout', 'setInterval', 'setImmediate', 'nextTick', 'queueMicrotask'] as const),
  ...(['clearTimeout', 'clearInterval', 'clearImmediate', 'hrtime', 'performance'] as const),
];
const SOME_TIME = '2026-01-01T00:00:00Z';

const NOBODY = { anchors: [], metadata: new MetadataIndex() };

const ENTRIES = [...ceremonies('registration'), ...ceremonies('authentication')];

describeCollected('@simplewebauthn/server as a second opinion', ENTRIES, () => {
  let restore: () => void;
  beforeAll(() => {
    restore = isolateLibrary();
  });
  afterAll(() => {
    restore();
    jest.useRealTimers();
  });

  it('the library’s verdict differs from ours only in the cases listed here with a reason', async () => {
    const differences: unknown[] = [];
    for (const entry of ENTRIES) {
      const now = new Date(entry.evaluateAt ?? SOME_TIME);
      jest.useFakeTimers({ now, doNotFake: REAL_TIMERS });
      const ours = ourOpinion(entry);
      const theirs = await secondOpinion(entry);
      const same = (ours === 'valid') === (theirs === 'valid');
      const known = DIFFERENCES.filter(
        (group) => group.ids.includes(entry.id) && group.ours === ours && group.theirs.test(theirs),
      );
      if (known.length !== (same ? 0 : 1)) differences.push({ id: entry.id, ours, theirs });
    }
    expect(differences).toEqual([]);
  });

  it('the collection contains every listed case, and the list contains each once', () => {
    const ids = new Set(ENTRIES.map(({ id }) => id));
    const listed = DIFFERENCES.flatMap((group) => group.ids);
    expect(listed.filter((id) => !ids.has(id))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});

function ourOpinion(entry: Ceremony) {
  return evaluateCeremony(entry, NOBODY).ok ? 'valid' : 'invalid';
}

/** Entries on which `@simplewebauthn/server` differs, and why ours is right. Each is in one group. */
const DIFFERENCES: readonly {
  readonly why: string;
  readonly ours: 'valid' | 'invalid';
  /** In the library's words; `valid` where it accepts. */
  readonly theirs: RegExp;
  readonly ids: readonly string[];
}[] = [
  {
    why: 'Level 3 §8.9 defines the format "compound", which the library does not know.',
    ours: 'valid',
    theirs: /^Unsupported Attestation Format: compound$/,
    ids: ['compound-two-packed-self', 'compound-packed-self-and-none'],
  },
  {
    why: 'Our interface refuses token binding in any form (E0009R); Level 3 ignores it.',
    ours: 'invalid',
    theirs: /^valid$/,
    ids: [
      'py-fido-u2f-es256-test-verify-registration-response-fido-u2f-75',
      'go-packed-full-es256-attestation-packed-test-481',
      'net-packed-full-es256-json2-6',
    ],
  },
  {
    why: 'Trust is evaluated separately: §8.4 requires no path to Google, and these have test roots.',
    ours: 'valid',
    theirs: /Android Key/,
    ids: ['go-android-key-es256-attestation-androidkey-test-987', 'w3c-android-key-es256-reg'],
  },
  {
    why: 'A TPM is trusted for its certificate path, not for its vendor; those of §16 are on no list.',
    ours: 'valid',
    theirs: /^Could not match TPM manufacturer/,
    ids: ['w3c-tpm-es256-reg'],
  },
  {
    why: 'Ed448 (RFC 9864) is an algorithm that the library does not know.',
    ours: 'valid',
    theirs: /^Public key had invalid alg -53/,
    ids: ['w3c-packed-ed448-auth'],
  },
  {
    why: '§6.3.3 step 9: assertions carry no attested credential data; this one of 2019 does.',
    ours: 'invalid',
    theirs: /^valid$/,
    ids: ['go-auth-es256-assertion-test-26'],
  },
];
