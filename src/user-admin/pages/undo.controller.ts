import { Body, Post } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import type { AuditedUser, UserRows } from '../../audit/audit-trail.js';
import { allSettled } from '../../platform/common/all-settled.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { Deletions } from '../../users/deletions/deletions.js';
import type { KeptDeletion } from '../../users/deletions/deletion-steps.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { RestoredKeys } from '../../trust/findings/restored-keys.js';
import {
  successBanner,
  failureBanner,
  LeadsToPage,
  type Banner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { PageController } from '../../platform/pages/page.interceptor.js';
import { type Account } from '../../platform/access/accounts/account.js';
import { ensureMay } from '../../platform/access/permissions.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { userAddress } from './addresses.js';
import { MAX_UNDONE } from './deletion.view.js';
import { PageScope } from './page-scope.js';
import { UndoForm } from './pages.dto.js';

/** Deletions that are undone concurrently. */
const TOGETHER = 32;

/** Undoes deletions that were made on pages. */
@PageController('userapi/undo', 'keys:change')
export class UndoController {
  constructor(
    private readonly scope: PageScope,
    private readonly directory: RelyingPartyCache,
    private readonly deletions: Deletions,
    private readonly restoredKeys: RestoredKeys,
  ) {}

  /** Undoes one deletion, or those of a request or a list, and redirects to the page that the form names. */
  @Post()
  @LeadsToPage()
  @Audited('deletion.undo')
  async undo(
    @Body(DtoPipe) form: UndoForm,
    @CurrentCall() { account, note, rows }: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { name, rp } = form;
    if (rp !== undefined) {
      const { tenant, domain } = this.scope.one(account, rp);
      note.tenant = tenant;
      note.relyingParty = domain;
      note.target = name;
    }
    const found = await this.find(account, form);
    const deletions = found.slice(0, MAX_UNDONE);
    if (deletions.some(({ whole }) => whole)) ensureMay(account, 'users:delete');
    const restored = await this.restore(deletions, rows);
    if (restored.length > 0) note.each = [];
    else note.refused = true;
    const url = name === undefined || rp === undefined ? '/userapi' : userAddress(name, rp);
    const { occasion } = form;
    const undo = occasion !== undefined && found.length > MAX_UNDONE ? { occasion } : undefined;
    return { url, banner: bannerOf(deletions, restored, undo) };
  }

  /**
   * Finds the deletions that a form names, as far as the account may see them: `MAX_UNDONE`, and one more where
   * there are more.
   */
  private async find(
    account: Account,
    { rp, deletion, occasion }: UndoForm,
  ): Promise<KeptDeletion[]> {
    if (deletion !== undefined) {
      const id = Buffer.from(deletion, 'base64url');
      const places = this.directory.current.withPredecessor(this.scope.one(account, rp));
      return this.read(places.map((place) => [place, id]));
    }
    if (occasion === undefined) return [];
    const visible = this.scope.visible(account);
    const named = await this.deletions.ofOccasion(occasion, MAX_UNDONE + 1);
    return this.read(
      named.flatMap(({ id, relyingPartyId }) => {
        const place = visible.find((one) => one.id.equals(relyingPartyId));
        return place ? [[place, id] as const] : [];
      }),
    );
  }

  private async read(named: readonly (readonly [RelyingParty, Buffer])[]): Promise<KeptDeletion[]> {
    const found: KeptDeletion[] = [];
    for (const [place, id] of named) {
      const deletion = await this.deletions.find(place, id);
      if (deletion) found.push(deletion);
    }
    return found;
  }

  /** @returns the deletions that could be undone */
  private async restore(
    deletions: readonly KeptDeletion[],
    rows: UserRows,
  ): Promise<KeptDeletion[]> {
    const restored: KeptDeletion[] = [];
    for (const part of splitIntoParts(deletions, TOGETHER)) {
      const outcomes = await allSettled(part.map((one) => this.restoreOne(one, rows)));
      restored.push(...part.filter((_, n) => outcomes[n]));
    }
    return restored;
  }

  private restoreOne(deletion: KeptDeletion, rows: UserRows): Promise<boolean> {
    const row = rows.of(undone(deletion));
    return this.deletions.restore(deletion, row, (named) => this.restoredKeys.steps(named));
  }
}

function bannerOf(
  deletions: readonly KeptDeletion[],
  restored: readonly KeptDeletion[],
  undo: Banner['undo'],
): Banner {
  if (restored.length === 0) return failureBanner(phrase('undo:done.nothing'));
  if (deletions.length === 1)
    return successBanner(phrase(restored[0]?.whole ? 'undo:done.user' : 'undo:done.keys'));
  const left = deletions.filter((one) => !restored.includes(one));
  const values = { count: restored.length, left: left.length, names: namesOf(left) };
  const allRestored = undo ? 'undo:done.more' : 'undo:done.all';
  const banner = successBanner(phrase(left.length > 0 ? 'undo:done.some' : allRestored, values));
  return { ...banner, ...(undo && { undo }) };
}

const MAX_NAMES_BYTES = 1000;

/** As many names as fit into the cookie of a banner. */
function namesOf(deletions: readonly KeptDeletion[]): string {
  const names = deletions.map(({ username }) => username);
  const shown = [...names];
  while (Buffer.byteLength(shown.join(', ')) > MAX_NAMES_BYTES) shown.pop();
  return shown.join(', ') + (shown.length < names.length ? ', …' : '');
}

/** The audit row of an undone deletion; it is found under the user's name. */
function undone({ username, relyingParty, keys, account, at, whole }: KeptDeletion): AuditedUser {
  const { tenant, domain } = relyingParty;
  const deleted = { deletedBy: account, deletedAt: new Date(at).toISOString() };
  const detail = { user: whole, credentials: keys.length, ...deleted };
  return { tenant, relyingParty: domain, target: username, detail };
}
