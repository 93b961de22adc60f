import { Body, Controller, Post } from '@nestjs/common';
import { Audited, CurrentNote, CurrentUserRows } from '../../audit/audited.js';
import type { AuditNote, AuditedUser, UserRows } from '../../audit/audit-trail.js';
import type { KeptDeletion } from '../../users/deletions/deletion-steps.js';
import { ApiExcludeController } from '../../platform/http/openapi/openapi.js';
import {
  successBanner,
  failureBanner,
  LeadsToPage,
  type Banner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow } from '../../platform/access/allow.js';
import { ensureMay } from '../../platform/access/permissions.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { userAddress } from './addresses.js';
import { PageScope } from './page-scope.js';
import { UndoForm } from './pages.dto.js';
import { AT_ONCE, Undoing } from './undoing.js';

/** Undoes deletions that were made on pages. */
@ApiExcludeController()
@Allow('keys:change')
@Controller('userapi/undo')
export class UndoController {
  constructor(
    private readonly scope: PageScope,
    private readonly undoing: Undoing,
  ) {}

  /** Undoes one deletion, or those of a request or a list, and redirects to the page that the form names. */
  @Post()
  @LeadsToPage()
  @Audited('deletion.undo')
  async undo(
    @Body(DtoPipe) form: UndoForm,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
    @CurrentUserRows() rows: UserRows,
  ): Promise<RedirectWithBanner> {
    const { name, rp } = form;
    if (rp !== undefined) {
      const { tenant, domain } = this.scope.one(account, rp);
      Object.assign(note, { tenant, relyingParty: domain, target: name });
    }
    const found = await this.undoing.find(account, form);
    const deletions = found.slice(0, AT_ONCE);
    if (deletions.some(({ whole }) => whole)) ensureMay(account, 'users:delete');
    const back = await this.undoing.restore(deletions, (one) => rows.of(undone(one)));
    if (back.length > 0) note.each = [];
    else Object.assign(note, { refused: true });
    const url = name === undefined || rp === undefined ? '/userapi' : userAddress(name, rp);
    const { occasion } = form;
    const undo = occasion !== undefined && found.length > AT_ONCE ? { occasion } : undefined;
    return { url, banner: bannerOf(deletions, back, undo) };
  }
}

function bannerOf(
  asked: readonly KeptDeletion[],
  back: readonly KeptDeletion[],
  undo: Banner['undo'],
): Banner {
  if (back.length === 0) return failureBanner(phrase('undo:done.nothing'));
  if (asked.length === 1)
    return successBanner(phrase(back[0]?.whole ? 'undo:done.user' : 'undo:done.keys'));
  const left = asked.filter((one) => !back.includes(one));
  const values = { count: back.length, left: left.length, names: namesOf(left) };
  const restored = undo ? 'undo:done.more' : 'undo:done.all';
  const banner = successBanner(phrase(left.length > 0 ? 'undo:done.some' : restored, values));
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
