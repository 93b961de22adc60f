import { Body, Get, Param, Post, Query, Redirect } from '@nestjs/common';
import type { Request } from 'express';
import type { Reader } from '../../../platform/common/turns/read-turns.js';
import { CurrentReader } from '../../../platform/access/limits/current-reader.js';
import { CurrentRequest } from '../../../platform/common/from-request.js';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { atRelyingParty } from '../../../audit/request-rows.js';
import type { AuditDetail } from '../../../audit/audit-entry.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import {
  LeadsToPage,
  failureBanner,
  type RedirectWithBanner,
} from '../../../platform/pages/banners.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import { DeleteUsersJob } from '../../lists/delete-users-job.js';
import { UploadLines } from '../../lists/upload-lines.js';
import { UploadStore } from '../../lists/upload-store.js';
import { uploadIdOf } from '../../lists/upload.entity.js';
import { UploadsService } from '../../lists/uploads.service.js';
import { UsersFinder } from '../users/users-finder.js';
import { UsersQuery } from '../users/users.dto.js';
import { PageParties } from '../page-parties.js';
import { queryOf } from '../page-frame.js';
import { ConfirmationForm, PageQuery } from '../pages.dto.js';
import { ListPageQuery, ListSimilarForm } from './list.dto.js';
import { ListPreviewController } from './list-preview.controller.js';
import { ListPreview } from './list-preview.js';
import { listPage, uploadPage } from './list.view.js';

const SHOWN_LINES = 50;
const WRONG_NUMBER = failureBanner(phrase('users:deletion.wrongNumber'));

const pageOf = (upload: string) => ({
  url: `/userapi/deletelistusers${queryOf({ upload })}`,
});

/** Deletes the users of a list, for example leavers, in steps: file, preview, confirmation, progress, result. */
@PageController('userapi/deletelistusers', 'users:delete')
export class ListPageController extends ListPreviewController {
  constructor(
    parties: PageParties,
    store: UploadStore,
    preview: ListPreview,
    private readonly lines: UploadLines,
    private readonly uploads: UploadsService,
    private readonly deletion: DeleteUsersJob,
    private readonly finder: UsersFinder,
  ) {
    super(parties, store, preview);
  }

  /** Shows the form for a list or, if the address names one, its preview, progress or result. */
  @Get()
  @Page('delete-list')
  async show(
    @Query(DtoPipe) { upload: id, rp: domain }: ListPageQuery,
    @CurrentAccount() account: Account,
  ) {
    const choices = this.parties.choices(account, domain);
    if (id === undefined) {
      const ready = choices.length === 0 || domain !== undefined;
      return uploadPage(choices, ready ? this.parties.one(account, domain) : undefined);
    }
    const { upload, rp } = await this.find(id, account);
    const [tally, undoable, preview] = await Promise.all([
      this.lines.tally(upload),
      this.deletion.undoable(upload),
      upload.state === 'ready' ? this.preview.of(upload, rp, SHOWN_LINES) : undefined,
    ]);
    return listPage({ upload, rp, tally, undoable, preview });
  }

  /** Stores an uploaded list. The address names the relying party, since the body is the file. */
  @Post('file')
  @Redirect('/userapi/deletelistusers', 303)
  async receive(
    @CurrentRequest() file: Request,
    @Query(DtoPipe) { rp: domain }: PageQuery,
    @CurrentAccount() account: Account,
  ) {
    const rp = this.parties.one(account, domain);
    return pageOf(uploadIdOf(await this.uploads.receive(file, { account, rp })));
  }

  /** Stores all users of a view of the page that finds users as a list. */
  @Post('matches')
  @Redirect('/userapi/deletelistusers', 303)
  async receiveMatches(
    @Query(DtoPipe) query: UsersQuery,
    @CurrentAccount() account: Account,
    @CurrentReader() reader: Reader,
  ) {
    const rp = this.parties.one(account, query.rp);
    const matches = this.finder.slices([rp], query, reader);
    return pageOf(uploadIdOf(await this.uploads.keepUsers(matches, { account, rp })));
  }

  /** Adds the selected users, whose names differ from a line only in case. Deletes no user yet. */
  @Post(':upload/similar')
  @Redirect('/userapi/deletelistusers', 303)
  async addSimilar(
    @Param('upload') id: string,
    @Body(DtoPipe) form: ListSimilarForm,
    @CurrentAccount() account: Account,
  ): Promise<{ url: string }> {
    const { upload, rp } = await this.find(id, account);
    if (upload.state !== 'ready') {
      throw new ApiError('E0045R', 'list.begun');
    }
    const offered = await this.preview.similar(upload, rp);
    const selected = offered.filter(({ user, isListed }) => !isListed && form.user.includes(user));
    const names = [...new Set(selected.map(({ user }) => user))];
    if (await this.store.append(upload, rp, names)) return pageOf(id);
    // Another request has changed the list in the meantime; each repetition follows such a change.
    return this.addSimilar(id, form, account);
  }

  /** Starts a deletion if the typed number equals the number of found users; resumes one that had begun. */
  @Post(':upload/start')
  @LeadsToPage()
  @Audited('users.delete-list', { target: 'upload' })
  async start(
    @Param('upload') id: string,
    @Body(DtoPipe) form: ConfirmationForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { upload, rp } = await this.find(id, call.account);
    if (upload.state === 'deleting') {
      // A second click on the button.
      call.omitRow();
      return pageOf(id);
    }
    call.about(atRelyingParty(rp));
    const reason = form.reason?.trim() || undefined;
    let detail: AuditDetail | undefined;
    if (upload.state === 'ready') {
      const { found } = await this.preview.count(upload, rp);
      const confirmed = form.confirm?.replace(/[\s,.]/g, '') === String(found);
      detail = { users: found, confirmed, ...(reason && { reason }) };
      if (!confirmed) {
        await call.refuse({ detail });
        return { ...pageOf(id), banner: { ...WRONG_NUMBER, typed: { reason: reason ?? '' } } };
      }
    }
    // Another tab may have added names that were not counted.
    const isStarted = await this.deletion.start(upload, rp, call, { detail, reason });
    return isStarted ? pageOf(id) : this.start(id, form, call);
  }

  @Post(':upload/stop')
  @Redirect('/userapi/deletelistusers', 303)
  @Audited('users.delete-list.stop', { target: 'upload' })
  async stop(@Param('upload') id: string, @CurrentCall() call: AuditedCall) {
    const { upload, rp } = await this.find(id, call.account);
    call.about(atRelyingParty(rp));
    // It may have ended in the meantime.
    if (!(await call.commit([this.store.stopStep(upload)], {}))) call.omitRow();
    return pageOf(id);
  }
}
