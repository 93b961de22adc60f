import { Injectable } from '@nestjs/common';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { sha256 } from '../../platform/common/sha256.js';
import {
  ADD_SEPARATE_NAME,
  DROP_SEPARATE_NAME,
  SEPARATE_NAMES,
  type SeparateNameParams,
  type SeparateNameRow,
} from './move.statements.js';

const hashesOf = (name: string): SeparateNameRow => ({
  foldedHash: sha256(foldedName(name)),
  nameHash: sha256(normalizeName(name)),
});

/** The parameters of a condition for one name. */
export const separateNameParams = (rp: RelyingParty, name: string): SeparateNameParams => ({
  ...hashesOf(name),
  ignoresCase: ignoresCase(rp),
});

/**
 * User names of a new domain that belong to another user than at the old one. They never lead to keys of the old
 * domain.
 */
@Injectable()
export class SeparateNames {
  constructor(private readonly database: Database) {}

  async among(rp: RelyingParty, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const hashes = new Map(names.map((name) => [name, hashesOf(name)]));
    const foldedHashes = [...hashes.values()].map(({ foldedHash }) => foldedHash);
    const rows = await this.database.query(SEPARATE_NAMES, { ...scope(rp), foldedHashes });
    const counts = (name: SeparateNameRow, row: SeparateNameRow) =>
      row.foldedHash.equals(name.foldedHash) &&
      (ignoresCase(rp) || row.nameHash.equals(name.nameHash));
    const found = [...hashes].filter(([, name]) => rows.some((row) => counts(name, row)));
    return new Set(found.map(([name]) => name));
  }

  adding(rp: RelyingParty, name: string): Step {
    return ADD_SEPARATE_NAME[this.database.kind].step({ ...scope(rp), ...hashesOf(name) });
  }

  /** The step that makes a separate name an ordinary one again. */
  dropping(rp: RelyingParty, name: string): Step {
    return DROP_SEPARATE_NAME.step({ ...scope(rp), ...separateNameParams(rp, name) });
  }
}
