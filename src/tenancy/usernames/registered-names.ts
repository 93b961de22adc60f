import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { RelyingParty } from '../relying-party.js';
import { NAMES_OF_FOLDED } from '../tenancy.statements.js';
import { ignoresCase } from './name-key.js';

const NAMES_PER_STATEMENT = 200;

/** Finds names as they were registered, for callers who write them in another case. */
@Injectable()
export class RegisteredNames {
  constructor(private readonly database: Database) {}

  /**
   * Returns each name as it is registered, if case is ignored and a user has it; otherwise unchanged, in
   * NFC. If case matters, nothing is read.
   */
  async of(rp: RelyingParty, names: readonly string[]): Promise<string[]> {
    if (!ignoresCase(rp)) return names.map(normalizeName);
    const registered = new Map<string, string>();
    for (let at = 0; at < names.length; at += NAMES_PER_STATEMENT) {
      const part = names
        .slice(at, at + NAMES_PER_STATEMENT)
        .map((name) => Buffer.from(foldedName(name)));
      const rows = await this.database.query(NAMES_OF_FOLDED, { ...scope(rp), names: part });
      for (const { username } of rows) {
        const name = username.toString('utf8');
        registered.set(foldedName(name), name);
      }
    }
    return names.map((name) => registered.get(foldedName(name)) ?? normalizeName(name));
  }

  async ofOne(rp: RelyingParty, name: string): Promise<string> {
    const [registered = name] = await this.of(rp, [name]);
    return registered;
  }
}
