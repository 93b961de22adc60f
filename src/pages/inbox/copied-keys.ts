import { Injectable } from '@nestjs/common';
import { CLONE_ALARMS, type EventRow } from '../../events/event.statements.js';
import { HOUR_MS } from '../../platform/common/durations.js';
import { fingerprintOf } from '../../events/ledger.js';
import { Database } from '../../platform/database/database.js';
import { idFrom, mapKey, timeOfId } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ALARMS_OF_ENABLED_KEYS } from '../../users/credentials/clone-alarm.statements.js';
import type { FoundCredential } from '../../users/user-rows.js';
import { UsersByName } from '../../users/users-by-name.js';
import { DashboardCounts } from '../dashboard/dashboard-counts.js';

/** Newer alarms than these hide older ones. */
const MAX_ALARMS = 1_000;

/** A key whose counter decreased, and its current state. */
export interface CopiedKey {
  readonly relyingParty: RelyingParty;
  readonly username: string;
  /** `undefined` if no user has this name any longer. */
  readonly displayName: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `undefined` if the key was deleted, or its user renamed. */
  readonly key: FoundCredential | undefined;
  /** ID of the latest alarm. */
  readonly alarm: Buffer;
  /** Whether the key is still enabled. */
  readonly isOpen: boolean;
}

/** An alarm, and how to find its key. */
interface Alarm {
  readonly id: Buffer;
  readonly relyingPartyId: Buffer;
  readonly username: string;
  /** The beginning of the credential ID's SHA-256, or all of it. */
  readonly credential: Buffer;
}

/**
 * Finds the keys whose counters decreased (W3C WebAuthn L3 §6.1.1): enabled ones whenever that was, others, and what an
 * instance of 1.0 recorded, in the last week.
 */
@Injectable()
export class CopiedKeys {
  constructor(
    private readonly database: Database,
    private readonly counts: DashboardCounts,
    private readonly users: UsersByName,
  ) {}

  /**
   * Returns some of the keys, those with the newest alarms first.
   *
   * @param before ID of an alarm: only earlier ones
   * @returns the page, and where the next one begins
   */
  async page(rps: readonly RelyingParty[], limit: number, before?: Buffer) {
    const keys = (await this.latest(rps)).filter(
      ({ alarm }) => before === undefined || Buffer.compare(alarm, before) < 0,
    );
    const shown = keys.slice(0, limit);
    return { keys: shown, next: keys.length > limit ? shown.at(-1)?.alarm : undefined };
  }

  /** The keys of the newest alarms, each once. */
  async latest(rps: readonly RelyingParty[]): Promise<CopiedKey[]> {
    if (rps.length === 0) return [];
    const stored = await this.ofEnabledKeys(rps);
    const known = new Set(stored.map(nameOf));
    const others = (await this.ofLastWeek(rps)).filter((alarm) => !known.has(nameOf(alarm)));
    const newest = new Map(others.toReversed().map((alarm) => [nameOf(alarm), alarm]));
    return this.keysOf(rps, [...stored, ...newest.values()]);
  }

  private async ofEnabledKeys(rps: readonly RelyingParty[]): Promise<Alarm[]> {
    const relyingPartyIds = rps.map(({ id }) => id);
    const rows = await this.database.query(ALARMS_OF_ENABLED_KEYS, {
      relyingPartyIds,
      limit: MAX_ALARMS,
    });
    return rows.map(({ alarm, credentialHash, username, relyingPartyId }) => ({
      id: alarm,
      relyingPartyId,
      username: username.toString('utf8'),
      credential: credentialHash,
    }));
  }

  /** Newest first. Reads only hours with alarms. */
  private async ofLastWeek(rps: readonly RelyingParty[]): Promise<Alarm[]> {
    const relyingPartyIds = rps.map(({ id }) => id);
    const rows: EventRow[] = [];
    for (const hour of await this.hours(rps)) {
      if (rows.length >= MAX_ALARMS) break;
      const [from, to] = [idFrom(hour * HOUR_MS), idFrom((hour + 1) * HOUR_MS)];
      const range = { from, to, limit: MAX_ALARMS - rows.length };
      rows.push(...(await this.database.query(CLONE_ALARMS, { ...range, relyingPartyIds })));
    }
    return rows.map((row) => ({ ...row, username: row.username.toString('utf8') }));
  }

  /** The hours that had alarms, latest first. */
  private async hours(rps: readonly RelyingParty[]): Promise<number[]> {
    const visible = new Set(rps.map(({ id }) => mapKey(id)));
    const counts = await this.counts.lastWeek(visible);
    const hours = counts.flatMap(({ kind, hour }) => (kind === 'clone-alarm' ? [hour] : []));
    return [...new Set(hours)].sort((a, b) => b - a);
  }

  private async keysOf(rps: readonly RelyingParty[], alarms: readonly Alarm[]) {
    const found: CopiedKey[] = [];
    for (const relyingParty of rps) {
      const here = alarms.filter(({ relyingPartyId }) => relyingPartyId.equals(relyingParty.id));
      const names = [...new Set(here.map(({ username }) => username))];
      const users = names.length === 0 ? [] : await this.users.find(relyingParty, names);
      for (const { id: alarm, username, credential } of here) {
        const user = users.find((one) => one.username === username);
        const key = user?.credentials.find(({ credentialHash }) =>
          credentialHash.subarray(0, credential.length).equals(credential),
        );
        found.push({
          relyingParty,
          username,
          displayName: user?.displayName,
          at: timeOfId(alarm),
          key,
          alarm,
          isOpen: key?.enabled === true,
        });
      }
    }
    return found.sort((a, b) => Buffer.compare(b.alarm, a.alarm));
  }
}

/** The key of an alarm, as events name it. */
const nameOf = ({ relyingPartyId, credential }: Alarm): string =>
  mapKey(Buffer.concat([relyingPartyId, fingerprintOf(credential)]));
