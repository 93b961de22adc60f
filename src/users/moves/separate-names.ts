import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { padded } from '../../platform/database/padded.js';
import { scopeParams } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { ADD_SEPARATE_NAME, DROP_SEPARATE_NAME, separateNames } from './move.statements.js';

interface Row {
  readonly foldedHash: Buffer;
  readonly nameHash: Buffer;
}

const hashOf = (text: string): Buffer => hash('sha256', text, 'buffer');

const hashesOf = (name: string): Row => ({
  foldedHash: hashOf(foldedName(name)),
  nameHash: hashOf(normalizeName(name)),
});

/** The parameters of a condition for one name: folded hash, name hash, 1 where case is ignored. */
export function separateNameParams(rp: RelyingParty, name: string) {
  const { foldedHash, nameHash } = hashesOf(name);
  return [foldedHash, nameHash, ignoresCase(rp) ? 1 : 0] as const;
}

/**
 * User names that were given to somebody new at a new domain. They never lead to keys of the old domain,
 * whoever has the same name there.
 */
@Injectable()
export class SeparateNames {
  constructor(private readonly database: Database) {}

  /** Which of these names are separate ones. */
  async among(rp: RelyingParty, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const hashes = new Map(names.map((name) => [name, hashesOf(name)]));
    const asked = padded([...hashes.values()].map(({ foldedHash }) => foldedHash));
    const query = this.database.query<Row>(separateNames(asked));
    const rows = await query.all(...scopeParams(rp), ...asked);
    const counts = (name: Row, row: Row) =>
      row.foldedHash.equals(name.foldedHash) &&
      (ignoresCase(rp) || row.nameHash.equals(name.nameHash));
    const found = [...hashes].filter(([, name]) => rows.some((row) => counts(name, row)));
    return new Set(found.map(([name]) => name));
  }

  /** The step that makes a name a separate one. */
  adding(rp: RelyingParty, name: string): Step {
    const { foldedHash, nameHash } = hashesOf(name);
    const params = [...scopeParams(rp), foldedHash, nameHash];
    return { sql: ADD_SEPARATE_NAME[this.database.kind], params };
  }

  /** The step after which a name is an ordinary one again. */
  dropping(rp: RelyingParty, name: string): Step {
    const params = [...scopeParams(rp), ...separateNameParams(rp, name)];
    return { sql: DROP_SEPARATE_NAME, params };
  }
}
