import { Injectable } from '@nestjs/common';
import { MoveCounts } from '../users/moves/move-counts.js';
import { dateOf } from '../billing/usage/calendar.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { AuthenticatorModels } from '../trust/authenticator-models.js';
import type {
  AdoptionView,
  ModelView,
  WeekView,
  BrowserView,
  FunnelView,
  GivenUpView,
} from './adoption.answer.js';
import { AdoptionDays } from './curve/adoption-days.js';
import { expectedUsersOf, type TargetSetting } from './target/targets.js';
import { CeremonyReader, type CeremonySum } from './ceremony-reader.js';
import { UserReader } from './user-reader.js';
import { KeyCount, KeyReader, type CountedKeys } from './key-reader.js';

/** Counts the ceremonies of a kind by the step that they reached. */
export function funnelOf(sums: readonly CeremonySum[], kind: CeremonySum['kind']): FunnelView {
  const count = (step: CeremonySum['step']) =>
    sums
      .filter((sum) => sum.kind === kind && sum.step === step)
      .reduce((total, { n }) => total + n, 0);
  return {
    begun: count('begun'),
    finished: count('finished'),
    givenUp: count('given-up'),
    refused: count('refused'),
  };
}

/**
 * Counts ceremonies with a prompt by browser and step, those with the most begun first; without unused browsers.
 * Ceremonies that wait in a form's list, or have no prompt, seldom end.
 */
export function browsersOf(sums: readonly CeremonySum[]): readonly BrowserView[] {
  return [...Map.groupBy(sums, ({ browser }) => browser)]
    .map(([browser, own]) => ({
      browser,
      registrations: funnelOf(own, 'registration'),
      authentications: funnelOf(own, 'authentication'),
      failures: givenUpOf(own),
    }))
    .filter((view) => begunOf(view) > 0)
    .sort((one, other) => begunOf(other) - begunOf(one));
}

const begunOf = ({ registrations, authentications }: BrowserView): number =>
  registrations.begun + authentications.begun;

/** Counts abandoned prompts by the browser's error, most frequent first. */
export function givenUpOf(sums: readonly CeremonySum[]): readonly GivenUpView[] {
  const ended = sums.filter(({ step }) => step === 'given-up');
  return [...Map.groupBy(ended, ({ detail }) => detail)]
    .map(([error, alike]) => ({
      error,
      registrations: funnelOf(alike, 'registration').givenUp,
      authentications: funnelOf(alike, 'authentication').givenUp,
    }))
    .filter((view) => endedOf(view) > 0)
    .sort((one, other) => endedOf(other) - endedOf(one));
}

const endedOf = ({ registrations, authentications }: GivenUpView): number =>
  registrations + authentications;

export function signInsByModel(sums: readonly CeremonySum[]): ReadonlyMap<string, number> {
  const byModel = new Map<string, number>();
  for (const { kind, step, detail, n } of sums) {
    const signedIn = step === 'finished' && (kind === 'authentication' || kind === 'autofill');
    if (signedIn) byModel.set(detail, (byModel.get(detail) ?? 0) + n);
  }
  return byModel;
}

/** Collects figures on the adoption of keys by a relying party's users. */
@Injectable()
export class AdoptionReader {
  constructor(
    private readonly ceremonies: CeremonyReader,
    private readonly keys: KeyReader,
    private readonly models: AuthenticatorModels,
    private readonly moves: MoveCounts,
    private readonly users: UserReader,
    private readonly days: AdoptionDays,
  ) {}

  /** @param target of the relying party, if it has one */
  async read(rp: RelyingParty, target: TargetSetting | undefined): Promise<AdoptionView> {
    const answered = await this.ceremonies.answered(rp);
    const sums = await this.ceremonies.sums(rp);
    const counted = await this.keys.count(rp);
    const users = await this.users.read(rp);
    const unverified = await this.users.inventory.unverifiedUsersOf(rp);
    const profiles = await this.users.ofProfiles(rp);
    const move = await this.moves.progress(rp);
    return {
      relyingParty: rp.domain,
      ceremonies: answered,
      funnel: {
        registrations: funnelOf(sums, 'registration'),
        authentications: funnelOf(sums, 'authentication'),
        autofill: funnelOf(sums, 'autofill'),
        upgrades: funnelOf(sums, 'upgrade'),
      },
      givenUp: givenUpOf(sums),
      browsers: browsersOf(sums),
      users: { ...users, expected: expectedUsersOf(target, users.total) },
      ...(profiles.length > 0 && { profiles }),
      ...(await this.days.curve(rp, users)),
      keys: { ...counted.all, complete: counted.complete },
      unverified,
      models: this.modelViews(counted, sums),
      weeks: this.weekViews(counted, sums, await this.ceremonies.registrations(rp)),
      ...(move && { move }),
    };
  }

  /** The models, most frequent first. */
  private modelViews({ models }: CountedKeys, sums: readonly CeremonySum[]): readonly ModelView[] {
    const signIns = signInsByModel(sums);
    return [...models]
      .sort(([, one], [, other]) => other.total - one.total)
      .map(([aaguid, { total, synced, bound }]) => ({
        aaguid,
        authenticatorName: this.models.name(aaguid),
        keys: total,
        synced,
        bound,
        signIns: signIns.get(aaguid) ?? 0,
      }));
  }

  private weekViews(
    { weeks }: CountedKeys,
    sums: readonly CeremonySum[],
    registrations: ReadonlyMap<string, number>,
  ): readonly WeekView[] {
    return this.ceremonies.weeks().map((week) => {
      const from = dateOf(week);
      const { total: kept, ...counts } = weeks.get(from) ?? new KeyCount();
      const own = sums.filter((sum) => sum.week === week);
      return {
        from,
        registrations: registrations.get(from) ?? 0,
        kept,
        ...counts,
        begun: funnelOf(own, 'registration'),
        signIns: funnelOf(own, 'authentication'),
      };
    });
  }
}
