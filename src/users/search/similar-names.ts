import { Injectable } from '@nestjs/common';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { Database } from '../../platform/database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { wholeNameEntry } from './folding.js';
import { USERNAMES_OF_ENTRIES } from './search.statements.js';

const AT_ONCE = 200;

/** Finds users whose names differ only in case: lists of leavers are typed by hand. */
@Injectable()
export class SimilarNames {
  constructor(private readonly database: Database) {}

  /** @param names that no user has, in NFC */
  async find(rp: RelyingParty, names: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
    const similar = new Map<string, string[]>();
    for (const part of splitIntoParts(names, AT_ONCE)) {
      const users = await this.likeThese(rp, part);
      for (const name of part) {
        const alike = users.filter((user) => inOneCase(user) === inOneCase(name));
        if (alike.length > 0) similar.set(name, alike);
      }
    }
    return similar;
  }

  private async likeThese(rp: RelyingParty, names: readonly string[]): Promise<string[]> {
    const entries = names.flatMap((name) => wholeNameEntry(name) ?? []);
    if (entries.length === 0) return [];
    const params = { relyingPartyId: rp.id, entries };
    const rows = await this.database.query(USERNAMES_OF_ENTRIES, params);
    return [...new Set(rows.map(({ username }) => username.toString('utf8')))].sort();
  }
}

const inOneCase = (name: string): string => name.toLowerCase().toUpperCase().toLowerCase();
