import { Injectable } from '@nestjs/common';
import { idFrom } from '../../platform/database/row-ids.js';
import { Database } from '../../platform/database/database.js';
import { CLONE_ALARMS, type EventRow } from '../../events/event.statements.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { UsersByName } from '../../users/users-by-name.js';
import type { FoundCredential } from '../../users/user-rows.js';
import { DashboardCounts } from '../dashboard/dashboard-counts.js';
import { HOUR_MS } from '../../platform/common/durations.js';

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
}

const LAST_ID = Buffer.alloc(16, 0xff);

/** Finds the keys whose counters decreased in the last week (W3C WebAuthn L3 §6.1.1). */
@Injectable()
export class CopiedKeys {
  constructor(
    private readonly database: Database,
    private readonly counts: DashboardCounts,
    private readonly users: UsersByName,
  ) {}

  /**
   * Returns the newest alarms. Reads only hours with alarms.
   *
   * @param before an event ID: only alarms before it
   * @returns the page, and where the next one begins
   */
  async page(rps: readonly RelyingParty[], limit: number, before: Buffer = LAST_ID) {
    const rows: EventRow[] = [];
    for (const hour of await this.hours(rps)) {
      const from = idFrom(hour * HOUR_MS);
      const end = idFrom((hour + 1) * HOUR_MS);
      if (Buffer.compare(from, before) >= 0 || rows.length > limit) continue;
      const to = Buffer.compare(end, before) < 0 ? end : before;
      const range = { from, to, limit: limit + 1 - rows.length };
      const relyingPartyIds = rps.map(({ id }) => id);
      rows.push(...(await this.database.query(CLONE_ALARMS, { ...range, relyingPartyIds })));
    }
    const shown = rows.slice(0, limit);
    const next = rows.length > limit ? shown.at(-1)?.id : undefined;
    return { keys: await this.keysOf(rps, shown), next };
  }

  /** The hours that had alarms, latest first. */
  private async hours(rps: readonly RelyingParty[]): Promise<number[]> {
    const visible = new Set(rps.map(({ id }) => id.toString('hex')));
    const counts = await this.counts.lastWeek(visible);
    const hours = counts.flatMap(({ kind, hour }) => (kind === 'clone-alarm' ? [hour] : []));
    return [...new Set(hours)].sort((a, b) => b - a);
  }

  private async keysOf(rps: readonly RelyingParty[], rows: readonly EventRow[]) {
    const found: CopiedKey[] = [];
    for (const relyingParty of rps) {
      const here = rows.filter(({ relyingPartyId }) => relyingPartyId.equals(relyingParty.id));
      const names = [...new Set(here.map(({ username }) => username.toString('utf8')))];
      const users = names.length === 0 ? [] : await this.users.find(relyingParty, names);
      for (const { username: bytes, credential, at } of here) {
        const username = bytes.toString('utf8');
        const user = users.find((one) => one.username === username);
        const key = user?.credentials.find(({ credentialHash }) =>
          credentialHash.subarray(0, credential.length).equals(credential),
        );
        found.push({
          relyingParty,
          username,
          displayName: user?.displayName,
          at: Number(at),
          key,
        });
      }
    }
    return found.sort((a, b) => b.at - a.at);
  }
}
