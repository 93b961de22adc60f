import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Database } from '../../database/database.js';
import type { Query } from '../../database/database.js';
import { scopeParams } from '../../database/scope.js';
import { HourlyEventCounts } from '../../ledger/hourly-event-counts.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { KEYS_BY_HASH } from './adoption.statements.js';
import type { CeremoniesView, KeysView, ModelView, WeekView } from './adoption.answer.js';

interface Row {
  readonly credentialHash: Buffer;
  readonly aaguid: Buffer;
  /** `null` of an imported key whose server did not tell. */
  readonly backupEligible: boolean | null;
  readonly registeredAt: number;
  readonly further: boolean;
}

const HOURS = 7 * 24;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const WEEKS = 12;
/** 1970-01-01 was a Thursday. */
const FIRST_MONDAY = -3 * DAY_MS;
const PAGE = 500;
/** Of more keys a part is looked at, in the order of the hashes of their IDs: a fair sample. */
const MOST_KEYS = 50_000;

/** Counts keys by what they are. */
class KeyCount {
  total = 0;
  first = 0;
  further = 0;
  synced = 0;
  bound = 0;

  add({ backupEligible, further }: Row): void {
    this.total += 1;
    if (further) this.further += 1;
    else this.first += 1;
    if (backupEligible) this.synced += 1;
    else if (backupEligible !== null) this.bound += 1;
  }
}

/** Tells how people take to their keys, from what is stored of keys and events anyway. */
@Injectable()
export class AdoptionReader {
  private readonly rows: Query<Row>;

  constructor(
    private readonly events: HourlyEventCounts,
    private readonly models: AuthenticatorModels,
    private readonly clock: Clock,
    database: Database,
  ) {
    this.rows = database.query(KEYS_BY_HASH, { patienceMs: 30_000 });
  }

  /** What came of the ceremonies of the last seven days. */
  async ceremonies({ id }: RelyingParty): Promise<CeremoniesView> {
    const rp = id.toString('hex');
    const counts = (await this.events.lastHours(HOURS)).filter((one) => one.relyingParty === rp);
    const sum = (kind: string, code?: string) =>
      counts
        .filter((one) => one.kind === kind && (code === undefined || one.code === code))
        .reduce((total, { n }) => total + n, 0);
    const refused = counts.filter(({ kind }) => kind.endsWith('-refused'));
    const codes = [...new Set(refused.flatMap(({ code }) => code ?? []))].sort();
    return {
      since: new Date((Math.floor(this.clock.now() / HOUR_MS) - HOURS) * HOUR_MS).toISOString(),
      registrations: { finished: sum('registration'), refused: sum('registration-refused') },
      authentications: { finished: sum('authentication'), refused: sum('authentication-refused') },
      refusals: codes.map((errorCode) => ({
        errorCode,
        registrations: sum('registration-refused', errorCode),
        authentications: sum('authentication-refused', errorCode),
      })),
    };
  }

  /** What keys there are, of which models, and in which of the last weeks they were registered. */
  async keys(rp: RelyingParty) {
    const [all, models, weeks] = [new KeyCount(), new Map<string, KeyCount>(), this.noWeeks()];
    let position: Buffer | undefined = Buffer.alloc(32);
    while (position && all.total < MOST_KEYS) {
      const rows: Row[] = await this.rows.all(...scopeParams(rp), position, PAGE);
      for (const row of rows) {
        const aaguid = aaguidText(row.aaguid);
        const model = models.get(aaguid) ?? new KeyCount();
        models.set(aaguid, model);
        for (const count of [all, model, weeks.get(mondayOf(row.registeredAt))]) count?.add(row);
      }
      position = rows.length < PAGE ? undefined : rows.at(-1)?.credentialHash;
      // SQLite answers within the turn: others get theirs in between.
      await nextTurn();
    }
    const keys: KeysView = { ...all, complete: position === undefined };
    return { keys, models: this.modelViews(models), weeks: weekViews(weeks) };
  }

  private modelViews(models: ReadonlyMap<string, KeyCount>): readonly ModelView[] {
    return [...models]
      .sort(([, one], [, other]) => other.total - one.total)
      .map(([aaguid, { total, synced, bound }]) => ({
        aaguid,
        authenticatorName: this.models.name(aaguid),
        ...{ keys: total, synced, bound },
      }));
  }

  /** The last weeks, the oldest first, and nothing in them. */
  private noWeeks(): Map<number, KeyCount> {
    const now = mondayOf(this.clock.now());
    return new Map(
      Array.from({ length: WEEKS }, (_, n) => [now - (WEEKS - 1 - n) * WEEK_MS, new KeyCount()]),
    );
  }
}

/** Midnight (UTC) of the Monday before, in ms since 1970. */
const mondayOf = (at: number): number =>
  Math.floor((at - FIRST_MONDAY) / WEEK_MS) * WEEK_MS + FIRST_MONDAY;

const weekViews = (weeks: ReadonlyMap<number, KeyCount>): readonly WeekView[] =>
  [...weeks].map(([monday, { total, ...counts }]) => ({
    from: new Date(monday).toISOString().slice(0, 10),
    registrations: total,
    ...counts,
  }));
