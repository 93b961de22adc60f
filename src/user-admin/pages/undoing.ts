import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { allSettled } from '../../platform/common/all-settled.js';
import { Deletions } from '../../users/deletions/deletions.js';
import type { KeptDeletion } from '../../users/deletions/deletion-steps.js';
import type { Account } from '../../platform/access/accounts/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';
import { PageScope } from './page-scope.js';
import type { UndoForm } from './pages.dto.js';

/** The maximum number of deletions that one call undoes: a list may have made many more. */
export const AT_ONCE = 500;
/** Deletions that are undone concurrently. */
const TOGETHER = 32;

/** Finds and undoes deletions that were made on pages. */
@Injectable()
export class Undoing {
  constructor(
    private readonly scope: PageScope,
    private readonly directory: TenantDirectory,
    private readonly deletions: Deletions,
  ) {}

  /**
   * Finds the deletions that a form names, as far as the account may see them: `AT_ONCE`, and one more where there
   * are more.
   */
  async find(account: Account, { rp, deletion, occasion }: UndoForm): Promise<KeptDeletion[]> {
    if (deletion !== undefined) {
      const id = Buffer.from(deletion, 'base64url');
      const places = this.directory.current.withPredecessor(this.scope.one(account, rp));
      return this.read(places.map((place) => [place, id]));
    }
    if (occasion === undefined) return [];
    const visible = this.scope.visible(account);
    const named = await this.deletions.ofOccasion(occasion, AT_ONCE + 1);
    return this.read(
      named.flatMap(({ id, relyingPartyId }) => {
        const place = visible.find((one) => one.id.equals(relyingPartyId));
        return place ? [[place, id] as const] : [];
      }),
    );
  }

  /**
   * @param rowOf creates the audit row of an undone deletion
   * @returns the deletions that could be undone
   */
  async restore(
    deletions: readonly KeptDeletion[],
    rowOf: (deletion: KeptDeletion) => AuditEntry,
  ): Promise<KeptDeletion[]> {
    const back: KeptDeletion[] = [];
    for (let at = 0; at < deletions.length; at += TOGETHER) {
      const some = deletions.slice(at, at + TOGETHER);
      const outcomes = await allSettled(some.map((one) => this.deletions.restore(one, rowOf(one))));
      back.push(...some.filter((_, n) => outcomes[n]));
    }
    return back;
  }

  private async read(named: readonly (readonly [RelyingParty, Buffer])[]): Promise<KeptDeletion[]> {
    const found: KeptDeletion[] = [];
    for (const [place, id] of named) {
      const deletion = await this.deletions.find(place, id);
      if (deletion) found.push(deletion);
    }
    return found;
  }
}
