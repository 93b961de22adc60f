import type { CeremonySum } from './ceremony-reader.js';
import type { BrowserView, FunnelView, GivenUpView } from './adoption.answer.js';

/** Kinds of ceremonies with a prompt; those that wait in a form's list, or have no prompt, seldom end. */
const PROMPTED = ['registration', 'authentication'] as const;

const sumOf = (sums: readonly CeremonySum[]): number => sums.reduce((total, { n }) => total + n, 0);

/** How far ceremonies of a kind came. */
export function funnelOf(sums: readonly CeremonySum[], kind: CeremonySum['kind']): FunnelView {
  const count = (step: CeremonySum['step']) =>
    sumOf(sums.filter((sum) => sum.kind === kind && sum.step === step));
  return { begun: count('begun'), finished: count('finished'), givenUp: count('given-up') };
}

/** How far ceremonies came by browser, those with the most begun first; without browsers nobody used. */
export function browsersOf(sums: readonly CeremonySum[]): readonly BrowserView[] {
  return [...new Set(sums.map(({ browser }) => browser))]
    .map((browser) => {
      const own = sums.filter((sum) => sum.browser === browser);
      const [registrations, authentications] = PROMPTED.map((kind) => funnelOf(own, kind)) as [
        FunnelView,
        FunnelView,
      ];
      return { browser, registrations, authentications };
    })
    .filter((view) => begunOf(view) > 0)
    .sort((one, other) => begunOf(other) - begunOf(one));
}

const begunOf = ({ registrations, authentications }: BrowserView): number =>
  registrations.begun + authentications.begun;

/** How often prompts were given up, by the browser's error, the most frequent first. */
export function givenUpOf(sums: readonly CeremonySum[]): readonly GivenUpView[] {
  const ended = sums.filter(({ step }) => step === 'given-up');
  return [...new Set(ended.map(({ detail }) => detail))]
    .map((error) => {
      const alike = ended.filter(({ detail }) => detail === error);
      const [registrations = 0, authentications = 0] = PROMPTED.map((kind) =>
        sumOf(alike.filter((sum) => sum.kind === kind)),
      );
      return { error, registrations, authentications };
    })
    .filter(({ registrations, authentications }) => registrations + authentications > 0)
    .sort(
      (one, other) =>
        other.registrations + other.authentications - one.registrations - one.authentications,
    );
}

/** How many sign-ins were finished with a key of each model, by AAGUID. */
export function signInsByModel(sums: readonly CeremonySum[]): ReadonlyMap<string, number> {
  const byModel = new Map<string, number>();
  for (const { kind, step, detail, n } of sums) {
    const signedIn = step === 'finished' && (kind === 'authentication' || kind === 'autofill');
    if (signedIn) byModel.set(detail, (byModel.get(detail) ?? 0) + n);
  }
  return byModel;
}
