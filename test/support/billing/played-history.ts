import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { dateOf, dayOf, firstDayOf } from '../../../src/billing/usage/calendar.js';
import { COUNTING_DELAY_MS, RollUp } from '../../../src/billing/usage/roll-up.js';
import { UsageReader } from '../../../src/billing/usage/usage-reader.js';
import { UsageStore } from '../../../src/billing/usage/usage-store.js';
import { UsageDayEntity, UsageProgress } from '../../../src/billing/usage/usage.entity.js';
import { EventRetention } from '../../../src/events/event-retention.js';
import { ledgerStep, type LedgerEvent } from '../../../src/events/ledger.js';
import { NumberingStore } from '../../../src/events/numbering/numbering-store.js';
import { Clock } from '../../../src/platform/common/clock.js';
import { DAY_MS } from '../../../src/platform/common/durations.js';
import { optionsWith } from '../../../src/platform/config/load-options.js';
import { AgreedSettings } from '../../../src/platform/database/agreed-settings.js';
import type { Database } from '../../../src/platform/database/database.js';
import { newId } from '../../../src/platform/database/row-ids.js';
import { RelyingPartyEntity } from '../../../src/tenancy/relying-party.entity.js';
import { Model, TENANT_OF, recount, type Act, type History, type ModelEvent } from './history.js';

class SetClock extends Clock {
  time = 0;

  override now(): number {
    return this.time;
  }
}

/** 16 bytes for a name of the model. */
const idOf = (name: string) => createHash('sha256').update(name).digest().subarray(0, 16);

/** Plays a history against a real database, and compares it with the model. */
export class PlayedHistory {
  private readonly clock = new SetClock();
  private readonly model = new Model();
  private readonly tenants = [newId(), newId()];
  private readonly relyingParties = TENANT_OF.map(() => newId());
  private readonly store = new UsageStore(
    this.database,
    this.source.getRepository(UsageDayEntity),
    this.source.getRepository(UsageProgress),
    this.source.getRepository(RelyingPartyEntity),
  );
  private readonly reader = new UsageReader(this.database, this.store, this.clock);
  /** Commits when the clock reaches this time. */
  private pending: { event: ModelEvent; commitAt: number; state: 'enabled' | 'disabled' }[] = [];
  private storedLinks = 0;
  private readonly states = new Map<string, 'enabled' | 'disabled'>();

  constructor(
    private readonly database: Database,
    private readonly source: DataSource,
    private readonly history: History,
  ) {
    this.clock.time = history.begin;
  }

  async run(): Promise<void> {
    await this.begin();
    for (const act of this.history.acts) {
      await this.advance(act.after);
      await this.do(act);
    }
    await this.advance(COUNTING_DELAY_MS);
    await this.compareAll();
    await this.count(1);
    await this.compareAll();
    await this.advance(3 * DAY_MS);
    await this.instance().discard();
    await this.count(1);
    await this.compareAll();
  }

  private async begin(): Promise<void> {
    const tables = [
      'events',
      'usage_days',
      'usage_active',
      'usage_progress',
      'moves',
      'relying_parties',
      'tenants',
    ];
    await this.database.commit(
      tables.map((table) => ({ sql: `DELETE FROM ${table}`, params: [] })),
    );
    const { begin } = this.history;
    await this.database.commit([
      ...this.tenants.map((id, n) => ({
        sql: `INSERT INTO tenants (id, name, display_name, created_at, changed_at, closed_at)
              VALUES (?, ?, '', ?, ?, 0)`,
        params: [id, `tenant-${n}`, begin, begin],
      })),
      ...this.relyingParties.map((id, n) => ({
        sql: `INSERT INTO relying_parties
                (id, tenant_id, domain, name, origins, policy, created_at, changed_at, closed_at)
              VALUES (?, ?, ?, '', '[]', '{}', ?, ?, 0)`,
        params: [id, this.tenants[TENANT_OF[n as 0]] as Buffer, `rp-${n}.test`, begin, begin],
      })),
    ]);
  }

  private async do(act: Act): Promise<void> {
    if (act.what === 'count') return this.count(1);
    if (act.what === 'count-twice') return this.count(1).then(() => this.count(1));
    if (act.what === 'count-together') return this.count(2);
    if (act.what === 'discard') return this.instance().discard();
    if (act.what === 'compare') return this.compareAll();
    const events = this.model.apply(act, this.clock.time);
    await this.storeMoves();
    for (const event of events) {
      const state = this.states.get(event.credential) ?? 'enabled';
      if (event.kind === 'enabled' || event.kind === 'disabled') {
        this.states.set(event.credential, event.kind);
      }
      this.pending.push({ event, state, commitAt: this.clock.time + act.late });
    }
    await this.advance(0);
    await this.close();
  }

  /** The successor that the model has now, and the links of users who have arrived there. */
  private async storeMoves(): Promise<void> {
    const { links, successor } = this.model;
    const stored = [...links].slice(this.storedLinks);
    this.storedLinks = links.size;
    await this.database.commit([
      ...this.relyingParties.map((id, n) => ({
        sql: 'UPDATE relying_parties SET predecessor = ? WHERE id = ?',
        params: [n === successor ? 'rp-0.test' : null, id],
      })),
      ...stored.map(([there, link]) => ({
        sql: `INSERT INTO moves (user_id, tenant_id, relying_party_id, former_user_id,
                former_relying_party_id, moved_at) VALUES (?, ?, ?, ?, ?, 1)`,
        params: [
          idOf(there),
          this.tenants[0] as Buffer,
          this.relyingParties[link.successor] as Buffer,
          idOf(link.user),
          this.relyingParties[0] as Buffer,
        ],
      })),
    ]);
  }

  /** Moves the clock, and commits what has been under way until then. */
  private async advance(ms: number): Promise<void> {
    this.clock.time += ms;
    const due = this.pending.filter(({ commitAt }) => commitAt <= this.clock.time);
    this.pending = this.pending.filter((entry) => !due.includes(entry));
    await this.database.commit(
      due.map(({ event, state }) => {
        const { at, kind, relyingParty, user, credential } = event;
        return ledgerStep({
          ...(kind === 'deleted' ? { kind, detail: state } : { kind }),
          at,
          relyingParty: {
            id: this.relyingParties[relyingParty] as Buffer,
            tenantId: this.tenants[TENANT_OF[relyingParty as 0]] as Buffer,
          },
          user: { id: idOf(user), username: user },
          credentialHash: idOf(credential),
        } as LedgerEvent);
      }),
    );
  }

  private async close(): Promise<void> {
    const { closedAt, tenantClosedAt } = this.model;
    await this.database.commit([
      ...closedAt.map((at, n) => ({
        sql: 'UPDATE relying_parties SET closed_at = ? WHERE id = ?',
        params: [at, this.relyingParties[n] as Buffer],
      })),
      ...tenantClosedAt.map((at, n) => ({
        sql: 'UPDATE tenants SET closed_at = ? WHERE id = ?',
        params: [at, this.tenants[n] as Buffer],
      })),
    ]);
  }

  private instance(): RollUp {
    const numbering = new NumberingStore(this.database);
    const options = optionsWith({ eventRetention: 1 });
    const withClock = { clock: this.clock };
    const settings = Object.assign(new AgreedSettings(this.database, options), withClock);
    const retention = new EventRetention(this.database, numbering, this.clock, settings);
    const rollUp = Object.assign(new RollUp(this.store, this.database, retention), withClock);
    rollUp.pace = { slice: 7, unit: 5, pauseMs: 0 };
    return rollUp;
  }

  private async count(instances: number): Promise<void> {
    await Promise.all(Array.from({ length: instances }, () => this.instance().catchUp()));
  }

  /** Every figure of every day from the first one to today, once no commit is under way. */
  private async compareAll(): Promise<void> {
    if (this.pending.length > 0) return;
    for (let day = dayOf(this.history.begin); day <= dayOf(this.clock.time); day += 1) {
      const begin = firstDayOf(day) * DAY_MS;
      const end = (day + 1) * DAY_MS;
      const lived = (closedAt: number) => closedAt === 0 || closedAt >= begin;
      const expected = this.tenants.flatMap((_, tenant) => {
        if (!lived(this.model.tenantClosedAt[tenant as 0])) return [];
        const parties = TENANT_OF.flatMap((owner, n) => {
          const closedAt = this.model.closedAt[n as 0];
          if (owner !== tenant || !lived(closedAt)) return [];
          const mine = this.model.events.filter(({ relyingParty }) => relyingParty === n);
          const closed = closedAt !== 0 && closedAt < end;
          const nothing = closed ? { users: 0, enabled: 0, disabled: 0 } : {};
          const { activeUsers: activeHere, ...figures } = recount(mine, begin, end);
          // A user who moves is counted once for all domains.
          const active =
            owner === 0 && this.model.links.size > 0 ? {} : { activeUsers: activeHere };
          return [{ domain: `rp-${n}.test`, ...figures, ...active, ...nothing }];
        });
        const all = this.model.events.filter(
          ({ relyingParty }) => TENANT_OF[relyingParty as 0] === tenant,
        );
        const { activeUsers } = recount(all, begin, end);
        return [{ tenant: `tenant-${tenant}`, activeUsers, relyingParties: parties }];
      });
      const tenants = (await this.reader.of(day)).map((usage) => ({
        ...usage,
        activeUsers: usage.relyingParties.reduce((sum, one) => sum + one.activeUsers, 0),
      }));
      expect({ date: dateOf(day), tenants }).toMatchObject({
        date: dateOf(day),
        tenants: expected,
      });
    }
  }
}
