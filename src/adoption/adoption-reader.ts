import { Injectable } from '@nestjs/common';
import { Moves } from '../users/moves/moves.js';
import { UnverifiedUsers } from '../users/unverified-users.js';
import { dateOfDay } from '../events/ceremony-counts/weeks.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { AuthenticatorModels } from '../trust/authenticator-models.js';
import type { AdoptionView, ModelView, WeekView } from './adoption.answer.js';
import { CeremonyReader } from './ceremony-reader.js';
import type { CeremonySum } from './ceremony-reader.js';
import { browsersOf, funnelOf, givenUpOf, signInsByModel } from './funnel.js';
import { KeyCount, KeyReader } from './key-reader.js';
import type { CountedKeys } from './key-reader.js';

/** Gathers figures on how people of a relying party take to their keys. */
@Injectable()
export class AdoptionReader {
  constructor(
    private readonly ceremonies: CeremonyReader,
    private readonly keys: KeyReader,
    private readonly models: AuthenticatorModels,
    private readonly moves: Moves,
    private readonly unverified: UnverifiedUsers,
  ) {}

  async read(rp: RelyingParty): Promise<AdoptionView> {
    const answered = await this.ceremonies.answered(rp);
    const sums = await this.ceremonies.sums(rp);
    const counted = await this.keys.count(rp);
    const unverified = await this.unverified.count(rp);
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
      keys: { ...counted.all, complete: counted.complete },
      unverified,
      models: this.modelViews(counted, sums),
      weeks: this.weekViews(counted, sums, await this.ceremonies.registrations(rp)),
      ...(move && { move }),
    };
  }

  /** The models, the most frequent first. */
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
      const from = dateOfDay(week);
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
