import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { Clock } from '../../common/clock.js';
import { serverOptions } from '../../config/server-config.js';
import { Database } from '../../database/database.js';
import { isUniqueViolation } from '../../database/commit/unique-violation.js';
import { ApiError } from '../../errors/api-error.js';
import { aaguidBytes, aaguidText } from '../../webauthn/aaguid.js';
import { readAaguidFile } from './aaguid-file.js';
import type { NamedModel } from './aaguid-file.js';

const POLL_MS = 2000;
const SEEDED_BY = 'configuration';

/** A model on the whitelist. */
export interface ListedModel extends NamedModel {
  /** Milliseconds since 1970. */
  readonly addedAt: number;
  /** The administrator's name, or `configuration`. */
  readonly addedBy: string;
}

type Row = Omit<ListedModel, 'aaguid'> & { aaguid: Buffer };

/**
 * The AAGUID whitelist of all tenants, kept in memory. It is so short that reading it costs no more
 * than asking whether it has changed: changes of other instances count within two seconds.
 */
@Injectable()
export class AaguidList implements OnModuleInit, OnModuleDestroy {
  private listed: ReadonlyMap<string, ListedModel> = new Map();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /** Whether the server was started with `--aaguid on`. */
  get enabled(): boolean {
    return this.options.aaguid;
  }

  /** By name, the models that may register. */
  get models(): readonly ListedModel[] {
    return [...this.listed.values()];
  }

  has(aaguid: string): boolean {
    return this.listed.has(aaguid);
  }

  async onModuleInit(): Promise<void> {
    if (!this.enabled) return;
    const { aaguidFile } = this.options;
    const seeds = aaguidFile === undefined ? [] : readAaguidFile(aaguidFile);
    for (const seed of seeds) await this.insert(seed, SEEDED_BY);
    await this.refresh();
    this.timer = setInterval(() => void this.poll(), POLL_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Lists a model; one that is listed already gets the new name, if there is one. */
  async add(model: NamedModel, by: string): Promise<void> {
    const { aaguid, name } = model;
    if (!(await this.insert(model, by))) {
      const listed = this.listed.get(aaguid);
      const restored = await this.database.commit([
        {
          sql: `UPDATE aaguids SET name = ?, added_at = ?, added_by = ?, removed_at = 0
                WHERE aaguid = ? AND removed_at <> 0`,
          params: [name, this.clock.now(), by, aaguidBytes(aaguid)],
          guard: true,
        },
      ]);
      if (!restored && name !== '' && name !== listed?.name) await this.rename(model);
    }
    await this.refresh();
  }

  /** @throws ApiError E0044R when the model is not listed */
  async remove(aaguid: string): Promise<void> {
    const removed = await this.database.commit([
      {
        sql: 'UPDATE aaguids SET removed_at = ? WHERE aaguid = ? AND removed_at = 0',
        params: [this.clock.now(), aaguidBytes(aaguid)],
        guard: true,
      },
    ]);
    await this.refresh();
    if (!removed) throw new ApiError('E0044R', 'This AAGUID is not on the whitelist.');
  }

  private async rename({ aaguid, name }: NamedModel): Promise<void> {
    await this.database.commit([
      {
        sql: 'UPDATE aaguids SET name = ? WHERE aaguid = ? AND removed_at = 0',
        params: [name, aaguidBytes(aaguid)],
      },
    ]);
  }

  /** @returns `false` when there is a row of this model, be it listed or taken off */
  private async insert({ aaguid, name }: NamedModel, by: string): Promise<boolean> {
    try {
      return await this.database.commit([
        {
          sql: 'INSERT INTO aaguids (aaguid, name, added_at, added_by, removed_at) VALUES (?, ?, ?, ?, 0)',
          params: [aaguidBytes(aaguid), name, this.clock.now(), by],
        },
      ]);
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  private async poll(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      Logger.debug(`The whitelist could not be read again: ${String(error)}`, 'Trust');
    }
  }

  private async refresh(): Promise<void> {
    const rows = await this.database
      .query<Row>(
        `SELECT aaguid, name, added_at AS addedAt, added_by AS addedBy
         FROM aaguids WHERE removed_at = 0 ORDER BY name, aaguid`,
      )
      .all();
    const models = rows.map((row) => ({ ...row, aaguid: aaguidText(row.aaguid) }));
    this.listed = new Map(models.map((model) => [model.aaguid, model]));
  }
}
