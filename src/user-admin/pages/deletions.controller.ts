import { Body, Get, Post } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { atRelyingParty, type AuditFacts } from '../../audit/request-rows.js';
import { allSettled } from '../../platform/common/all-settled.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { Deletions, MAX_UNDONE } from '../../users/deletions/deletions.js';
import type { KeptDeletion } from '../../users/deletions/restoring-steps.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { FindingsOnChange } from '../../trust/findings/findings-on-change.js';
import {
  successBanner,
  failureBanner,
  LeadsToPage,
  type Banner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { AllowHere } from '../../platform/access/allow.js';
import { ensureMay } from '../../platform/access/permissions.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import {
  USERS_PAGE,
  userPermissions,
  userAddress,
  userEntry,
  deletionNotice,
} from './page-frame.js';
import { PageParties } from './page-parties.js';
import { UndoForm } from './pages.dto.js';

/** The maximum number of users on the page; all others can be found by name. */
const MAX = 100;
/** Deletions that are undone concurrently. */
const AT_ONCE = 32;

/** Shows and undoes deletions that were made on pages. */
@PageController('userapi', 'keys:change')
export class DeletionsController {
  constructor(
    private readonly parties: PageParties,
    private readonly relyingParties: RelyingPartyCache,
    private readonly deletions: Deletions,
    private readonly findings: FindingsOnChange,
    private readonly models: AuthenticatorModels,
  ) {}

  /** The page of users whose deletion can still be undone, newest first. */
  @Get('deleted')
  @AllowHere('users:read')
  @Page('deleted')
  async show(@CurrentAccount() account: Account) {
    const rps = this.parties.visible(account);
    // One row more than the page reveals whether the list is cut.
    const found = await Promise.all(rps.map((rp) => this.deletions.recent(rp, MAX + 1)));
    const newest = found.flat().sort((a, b) => Buffer.compare(b.id, a.id));
    const shown = newest.slice(0, MAX);
    const permissions = userPermissions(account);
    return {
      title: phrase('undo:recent.title'),
      ...USERS_PAGE,
      tab: { deleted: true },
      permissions,
      together: permissions.users ? await this.together(shown, rps) : [],
      deleted: shown.map((one) => {
        const { name, domain, displayName, address } = userEntry(one);
        const notice = deletionNotice(one, { name, domain }, account, this.models);
        return { ...notice, displayName, address };
      }),
      /** The number of entries if the list is truncated; `undefined` if it is complete. */
      most: newest.length > MAX ? MAX : undefined,
    };
  }

  /** Lists and selections of which several users can still be brought back at once, the newest first. */
  private async together(newest: readonly KeptDeletion[], rps: readonly RelyingParty[]) {
    const isRepeated = ({ occasion }: KeptDeletion, n: number) =>
      newest.findIndex((one) => one.occasion === occasion) < n;
    const occasions = new Map(newest.filter(isRepeated).map((one) => [one.occasion, one]));
    const groups = await Promise.all(
      [...occasions.values()].map(async ({ occasion, account, at }) => {
        const all = await this.deletions.ofOccasion(occasion, MAX_UNDONE);
        const visible = all.filter((one) => rps.some(({ id }) => id.equals(one.relyingPartyId)));
        return { occasion, account, at: new Date(at).toISOString(), count: visible.length };
      }),
    );
    return groups.filter(({ count }) => count > 1);
  }

  /** Undoes one deletion, or those of a request or a list, and redirects to the page that the form names. */
  @Post('undo')
  @LeadsToPage()
  @Audited('deletion.undo')
  async undo(
    @Body(DtoPipe) form: UndoForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { account } = call;
    const { name, rp } = form;
    if (rp !== undefined) {
      call.about({ ...atRelyingParty(this.parties.one(account, rp)), target: name });
    }
    const found = await this.find(account, form);
    const deletions = found.slice(0, MAX_UNDONE);
    if (deletions.some(({ whole }) => whole)) ensureMay(account, 'users:delete');
    const restored = await this.restore(deletions, call.useRowPerChange());
    if (restored.length === 0) await call.refuse({});
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
      const places = this.relyingParties.current.withPredecessor(this.parties.one(account, rp));
      return this.read(places.map((place) => [place, id]));
    }
    if (occasion === undefined) return [];
    const visible = this.parties.visible(account);
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
    row: (facts: AuditFacts) => AuditEntry,
  ): Promise<KeptDeletion[]> {
    const restored: KeptDeletion[] = [];
    for (const part of splitIntoParts(deletions, AT_ONCE)) {
      const outcomes = await allSettled(part.map((one) => this.restoreOne(one, row(undone(one)))));
      restored.push(...part.filter((_, n) => outcomes[n]));
    }
    return restored;
  }

  private restoreOne(deletion: KeptDeletion, row: AuditEntry): Promise<boolean> {
    return this.deletions.restore(deletion, row, (named) =>
      this.findings.stepsAfterRestoration(named),
    );
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

function undone({ username, relyingParty, keys, account, at, whole }: KeptDeletion): AuditFacts {
  const { tenant, domain } = relyingParty;
  const deleted = { deletedBy: account, deletedAt: new Date(at).toISOString() };
  const detail = { user: whole, credentials: keys.length, ...deleted };
  return { tenant, relyingParty: domain, target: username, detail };
}
