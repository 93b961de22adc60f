import { bytes, type Ceremony, ceremonies } from './vectors.js';
import {
  STAND_INS,
  type Changed,
  anchorOf,
  isAccepted,
  keyOf,
  register,
  signIn,
  unnoticed,
} from './flipped-bits.js';
import { describeCollected } from './verdicts.js';

const isChosen = ({ id }: Ceremony) => id.startsWith('w3c-') || STAND_INS.includes(id);
const REGISTRATIONS = ceremonies('registration').filter(isChosen);
const ASSERTIONS = ceremonies('authentication').filter(isChosen);

const byId = (entries: readonly Ceremony[]) => entries.map((entry) => [entry.id, entry] as const);

describeCollected(
  'collected ceremonies with one flipped bit',
  [...REGISTRATIONS, ...ASSERTIONS],
  () => {
    it('accepts the unchanged ceremonies, except the fido-u2f and android-key of the W3C', () => {
      const refused = REGISTRATIONS.filter((entry) => {
        const anchor = anchorOf(entry);
        return !isAccepted(() => register(entry, anchor, (part) => bytes(entry[part])));
      });
      const ids = refused.map(({ id }) => id).sort();
      expect(ids).toEqual(['w3c-android-key-es256-reg', 'w3c-fido-u2f-es256-reg']);
      for (const entry of ASSERTIONS) signIn(entry, keyOf(entry), (part) => bytes(entry[part]));
    });

    it.each(byId(REGISTRATIONS))(
      'refuses the registration %s with any signed bit flipped',
      (_, entry) => {
        const anchor = anchorOf(entry);
        for (const part of ['clientDataJSON', 'attestationObject'] as const) {
          const accepts = (changed: Changed) => isAccepted(() => register(entry, anchor, changed));
          expect(unnoticed(entry, part, accepts)).toEqual([]);
        }
      },
    );

    it.each(byId(ASSERTIONS))(
      'refuses the assertion %s with any signed bit flipped',
      (_, entry) => {
        const key = keyOf(entry);
        for (const part of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
          const accepts = (changed: Changed) => isAccepted(() => signIn(entry, key, changed));
          expect(unnoticed(entry, part, accepts)).toEqual([]);
        }
      },
    );
  },
);
