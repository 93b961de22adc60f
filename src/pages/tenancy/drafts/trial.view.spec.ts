import type { AuthenticatorModels } from '../../../trust/authenticator-models.js';
import { trialView, type EffectFigures } from './trial.view.js';

const COUNTS = {
  total: 0,
  pass: 0,
  report: 0,
  refuse: 0,
  notJudged: 0,
  unverified: 0,
  otherAttestation: 0,
};
const USERS = { total: 9, canSignIn: 9, onlyBrokenKeys: 0, withoutKey: [], unverified: [] };

/** What the trial says first, and how. */
function headlineOf(refused: number, users: Partial<typeof USERS> = {}) {
  const effects: EffectFigures = {
    keys: { counts: COUNTS, rules: [] },
    registrations: { counts: { ...COUNTS, total: 723, refuse: refused }, rules: [] },
    users: { ...USERS, ...users },
    complete: true,
  };
  const { said, tone, more } = trialView(effects, 'localhost', {} as AuthenticatorModels).users;
  return { said: said?.key, tone, more: more.map(({ key }) => key) };
}

const text = (name: string) => `tenants:party.trial.users.${name}`;

describe('the headline of a trial', () => {
  it('says that registrations would have been refused, before it says that no user loses a key', () => {
    expect(headlineOf(414)).toEqual({ said: text('refused'), tone: 'warn', more: [text('all')] });
    expect(headlineOf(414, { onlyBrokenKeys: 3 })).toMatchObject({
      said: text('refused'),
      more: [text('broken')],
    });
  });

  it('is good only if no registration would have been refused', () => {
    expect(headlineOf(0)).toEqual({ said: text('all'), tone: 'good', more: [] });
  });
});
