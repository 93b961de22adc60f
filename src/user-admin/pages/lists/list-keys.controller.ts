import { Body, Get, Param, Post, Query, Redirect } from '@nestjs/common';
import { atRelyingParty } from '../../../audit/request-rows.js';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { CurrentReader } from '../../../platform/access/limits/current-reader.js';
import type { Reader } from '../../../platform/common/turns/read-turns.js';
import { Page, PageController } from '../../../platform/pages/page.interceptor.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import { KeyChangeBatches } from '../../lists/key-change-batches.js';
import { UploadsService } from '../../lists/uploads.service.js';
import { queryOf } from '../page-frame.js';
import { UploadStore } from '../../lists/upload-store.js';
import { uploadIdOf } from '../../lists/upload.entity.js';
import { PageParties } from '../page-parties.js';
import { UsersFinder } from '../users/users-finder.js';
import { MatchesQuery } from '../users/users.dto.js';
import { KeyChangeForm, KeyChangeQuery } from './list.dto.js';
import { ListPreviewController } from './list-preview.controller.js';
import { ListPreview } from './list-preview.js';
import { keyChangePage, keyPreviewPage } from './list-keys.view.js';

const SHOWN_LINES = 50;

const pageOf = (upload: string, change?: string) => ({
  url: `/userapi/changelistkeys${queryOf({ upload, change })}`,
});

/** Disables or enables the keys of all users of a view: preview, progress and, for a disabling, its undo. */
@PageController('userapi/changelistkeys', 'keys:change')
export class ListKeysController extends ListPreviewController {
  constructor(
    parties: PageParties,
    store: UploadStore,
    preview: ListPreview,
    private readonly uploads: UploadsService,
    private readonly changes: KeyChangeBatches,
    private readonly finder: UsersFinder,
  ) {
    super(parties, store, preview);
  }

  /** Shows the change of a list or, before one has begun, its preview. */
  @Get()
  @Page('change-list-keys')
  async show(
    @Query(DtoPipe) { upload: id, change }: KeyChangeQuery,
    @CurrentAccount() account: Account,
  ) {
    const { upload, rp } = await this.find(id, account);
    const last = await this.changes.of(upload, rp);
    if (last) return keyChangePage(upload, rp, last);
    const preview = await this.preview.of(upload, rp, SHOWN_LINES);
    return keyPreviewPage(upload, rp, { change, preview });
  }

  /** Stores all users of a view of the page that finds users as a list. */
  @Post('matches')
  @Redirect('/userapi', 303)
  async receiveMatches(
    @Query(DtoPipe) { change, ...query }: MatchesQuery,
    @CurrentAccount() account: Account,
    @CurrentReader() reader: Reader,
  ) {
    const rp = this.parties.one(account, query.rp);
    const matches = this.finder.slices([rp], query, reader);
    const upload = await this.uploads.keepUsers(matches, { account, rp });
    return pageOf(uploadIdOf(upload), change);
  }

  /** Starts a change; does nothing if one is in progress, as after a second click on the button. */
  @Post(':upload/start')
  @Redirect('/userapi', 303)
  @Audited('users.change-list', { target: 'upload' })
  async start(
    @Param('upload') id: string,
    @Body(DtoPipe) { change, reason }: KeyChangeForm,
    @CurrentCall() call: AuditedCall,
  ) {
    const { upload, rp } = await this.find(id, call.account);
    call.about(atRelyingParty(rp));
    const { found: total } = await this.preview.count(upload, rp);
    const given = { change, total, reason: reason?.trim() || undefined };
    if (!(await this.changes.start(upload, rp, call, given))) call.omitRow();
    return pageOf(id);
  }

  @Post(':upload/stop')
  @Redirect('/userapi', 303)
  @Audited('users.change-list.stop', { target: 'upload' })
  stop(@Param('upload') id: string, @CurrentCall() call: AuditedCall) {
    return this.alter('stop', id, call);
  }

  @Post(':upload/resume')
  @Redirect('/userapi', 303)
  @Audited('users.change-list', { target: 'upload' })
  resume(@Param('upload') id: string, @CurrentCall() call: AuditedCall) {
    return this.alter('resume', id, call);
  }

  private async alter(how: 'stop' | 'resume', id: string, call: AuditedCall) {
    const { upload, rp } = await this.find(id, call.account);
    call.about(atRelyingParty(rp));
    const last = await this.changes.of(upload, rp);
    if (!last || !(await this.changes.alter(how, last, rp, call))) call.omitRow();
    return pageOf(id);
  }
}
