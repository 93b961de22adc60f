import { Inject, Injectable } from '@nestjs/common';
import { RecurringJob } from '../common/recurring-job.js';
import { serverOptions, type ServerOptions } from '../config/server-config.js';
import { HOUR_MS } from '../common/durations.js';
import { Database } from './database.js';
import { select, sql } from './statement.js';
import { AgreedSetting } from './entities/server.entity.js';
import { computed, forEachKind, tableOf } from './entities/table.js';

const settings = tableOf(AgreedSetting);
const INSERT = `INSERT INTO ${settings.row(...settings.names)}`;

const ANNOUNCE_SETTING = forEachKind((kind) =>
  sql<AgreedSetting>(
    kind === 'sqlite'
      ? `${INSERT} ON CONFLICT (${settings.list('name', 'value')})
        DO UPDATE SET ${settings.usedAt} = excluded.${settings.usedAt}`
      : `${INSERT} ON DUPLICATE KEY UPDATE ${settings.usedAt} = VALUES(${settings.usedAt})`,
  ),
);

const LONGEST_SETTING = select({ value: computed<number | null>(`MAX(${settings.value})`) }).from<{
  name: string;
  since: number;
}>(`
  ${settings.from} WHERE ${settings.name} = :name AND ${settings.usedAt} >= :since`);

const AGREED = ['jwtTtl', 'eventRetention'] as const;

/** The longest lifetime of a token, the time between two announcements, and an hour for differing clocks. */
const REMEMBERED_MS = 26 * HOUR_MS;

/**
 * Settings on which all processes must agree, for example the lifetime of a token: a command without the option, or a
 * server with a shorter lifetime, must not delete what another server still needs. Servers announce their values, and
 * the longest one wins. A shorter one takes effect a day after the last server with the longer one has stopped. While
 * no server runs, nobody knows the value of the next one.
 */
@Injectable()
export class AgreedSettings extends RecurringJob {
  /** Whether this process is a server that has announced its values. */
  private isAnnounced = false;

  constructor(
    private readonly database: Database,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {
    super({
      everyMs: HOUR_MS,
      retryMessage: 'The settings are announced again in an hour',
      level: 'debug',
    });
  }

  /** Called by a server before it listens; commands announce nothing. */
  async announce(): Promise<void> {
    await this.work();
    this.isAnnounced = true;
    this.start();
  }

  /**
   * The longest value that any server uses, or used lately. If none has announced one lately, a server's own; for
   * another process, `Infinity`: it deletes nothing.
   */
  async longest(name: (typeof AGREED)[number]): Promise<number> {
    const since = this.clock.now() - REMEMBERED_MS;
    const [row] = await this.database.query(LONGEST_SETTING, { name, since });
    return row?.value ?? (this.isAnnounced ? this.options[name] : Infinity);
  }

  protected override async work(): Promise<void> {
    const usedAt = this.clock.now();
    const announce = ANNOUNCE_SETTING[this.database.kind];
    await this.database.store(
      AGREED.map((name) => announce.step({ name, value: this.options[name], usedAt })),
    );
  }
}
