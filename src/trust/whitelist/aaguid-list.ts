import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { InjectRepository } from '@nestjs/typeorm';
import { Not, type FindOperator, type Repository } from 'typeorm';
import type { ChangingCall } from '../../audit/audited.js';
import { Clock } from '../../platform/common/clock.js';
import { OverlappingReads } from '../../platform/common/caching.js';
import { isServing } from '../../platform/common/serving.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { CacheVersion, RAISE_CACHE_VERSION } from '../../platform/database/cache-version.js';
import { insertStep, mustChange, updateStep } from '../../platform/database/commit/step-of.js';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import type { Step, Unit } from '../../platform/database/commit/unit.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { aaguidBytes, aaguidText } from '../../webauthn/aaguid.js';
import { readAaguidFile, type NamedModel } from './aaguid-file.js';
import { AaguidEntity } from './aaguid.entity.js';

const SEEDED_BY = 'configuration';
const LISTED = { removedAt: 0 };

export interface ListedModel extends NamedModel {
  /** Milliseconds since 1970. */
  readonly addedAt: number;
  /** The administrator's name, or `configuration`. */
  readonly addedBy: string;
}

/** The AAGUID whitelist of all tenants, kept in memory. Changes on other instances take effect within two seconds. */
@Injectable()
export class AaguidList implements OnModuleInit {
  private listed: ReadonlyMap<string, ListedModel> = new Map();
  private readonly reads = new OverlappingReads();

  constructor(
    @InjectRepository(AaguidEntity) private readonly rows: Repository<AaguidEntity>,
    private readonly cacheVersion: CacheVersion,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly host: HttpAdapterHost,
  ) {
    if (options.aaguid) cacheVersion.registerRefresh(() => this.refresh());
  }

  /** Whether the server was started with `--aaguid on`. */
  get enabled(): boolean {
    return this.options.aaguid;
  }

  /** The models that may register, sorted by name. */
  get models(): readonly ListedModel[] {
    return [...this.listed.values()];
  }

  has(aaguid: string): boolean {
    return this.listed.has(aaguid);
  }

  async onModuleInit(): Promise<void> {
    if (!this.enabled) return;
    if (isServing(this.host)) await this.seed();
    await this.refresh();
  }

  /** Adds the models of `--aaguid-file`, except those that were ever listed. */
  private async seed(): Promise<void> {
    const { aaguidFile } = this.options;
    const seeds = aaguidFile === undefined ? [] : readAaguidFile(aaguidFile);
    for (const seed of seeds) {
      await falseIfTaken(this.cacheVersion.commit([this.insertion(seed, SEEDED_BY)]));
    }
  }

  /** Adds a model; a listed one receives the new name, if one is given. */
  async add(
    { account: { name: by }, commit }: ChangingCall,
    { aaguid, name = '' }: Pick<NamedModel, 'aaguid'> & Partial<NamedModel>,
  ): Promise<void> {
    const listing = { name, addedAt: this.clock.now(), addedBy: by, ...LISTED };
    await untilStored('resource.changing', async () => {
      const isAdded =
        (await commit([this.insertion({ aaguid, name }, by), RAISE_CACHE_VERSION], {})) ||
        (await commit(this.update(aaguid, listing, Not(0)), {}));
      if (isAdded) return true;
      if (name === '') return commit([], { detail: { changed: false } });
      // Whatever name this instance remembers: another one may have renamed the model, or removed it.
      return (await commit(this.update(aaguid, { name }), {})) || OVERTAKEN;
    });
    // The answer shows what is listed. If it cannot be read, the call can be repeated.
    await this.refresh();
  }

  /** @throws ApiError E0044R if the model is not listed */
  async remove({ commit }: ChangingCall, aaguid: string): Promise<void> {
    const isRemoved = await commit(this.update(aaguid, { removedAt: this.clock.now() }), {});
    await this.cacheVersion.show(() => this.refresh());
    if (!isRemoved) throw new ApiError('E0044R', 'whitelist.notOn');
  }

  /** Refused if the model has no row with this `removedAt`. */
  private update(
    aaguid: string,
    changes: Partial<AaguidEntity>,
    removedAt: number | FindOperator<number> = LISTED.removedAt,
  ): Unit {
    const where = { aaguid: aaguidBytes(aaguid), removedAt };
    return [mustChange(updateStep(this.rows, where, changes)), RAISE_CACHE_VERSION];
  }

  /** Refused if the model has a row already, whether it is listed or removed. */
  private insertion({ aaguid, name }: NamedModel, by: string): Step {
    const times = { addedAt: this.clock.now(), ...LISTED };
    return insertStep(this.rows, { aaguid: aaguidBytes(aaguid), name, addedBy: by, ...times });
  }

  private async refresh(): Promise<void> {
    const isNewest = this.reads.begin();
    const rows = await this.rows.find({ where: LISTED, order: { name: 'ASC', aaguid: 'ASC' } });
    if (!isNewest()) return;
    const models = rows.map(({ aaguid, name, addedAt, addedBy }) => ({
      aaguid: aaguidText(aaguid),
      name,
      addedAt,
      addedBy,
    }));
    this.listed = new Map(models.map((model) => [model.aaguid, model]));
  }
}

/** Whether the whitelist is on, and a relying party has neither metadata nor anchors for checking certificates. */
export function hasUnprovedModels(
  { aaguid, mds }: Pick<ServerOptions, 'aaguid' | 'mds'>,
  relyingParties: readonly Pick<RelyingParty, 'policy'>[],
): boolean {
  const isBare = relyingParties.some(({ policy }) => policy.anchors.length === 0);
  return aaguid && mds.length === 0 && isBare;
}
