import { Get, Param } from '@nestjs/common';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { CurrentReader } from '../../../platform/access/limits/current-reader.js';
import { AnswersFile } from '../../../platform/access/unknown-names.interceptor.js';
import type { Reader } from '../../../platform/common/turns/read-turns.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import { csvFile } from '../../../platform/http/text-file.js';
import type { CsvDialect } from '../../../platform/pages/csv.js';
import { ForSpreadsheet } from '../../../platform/pages/represent.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { UploadStore } from '../../lists/upload-store.js';
import type { Upload } from '../../lists/upload.entity.js';
import { PageParties } from '../page-parties.js';
import { ListPreview } from './list-preview.js';

/** What the pages of both jobs on a list have in common: the list, and the file of its preview. */
export abstract class ListPreviewController {
  constructor(
    protected readonly parties: PageParties,
    protected readonly store: UploadStore,
    protected readonly preview: ListPreview,
  ) {}

  @Get(':upload/preview.csv')
  @AnswersFile()
  async file(
    @Param('upload') id: string,
    @CurrentAccount() account: Account,
    @CurrentReader() reader: Reader,
    @ForSpreadsheet() dialect: CsvDialect | undefined,
  ) {
    const { upload, rp } = await this.find(id, account);
    return csvFile(reader, 'preview.csv', this.preview.csv(upload, rp, dialect));
  }

  /** @throws ApiError E0044R for a list that was deleted, or belongs to another account */
  protected async find(
    id: string,
    account: Account,
  ): Promise<{ upload: Upload; rp: RelyingParty }> {
    const upload = await this.store.find(id, account);
    const rp =
      upload &&
      this.parties.visible(account).find(({ id: own }) => own.equals(upload.relyingPartyId));
    if (rp) return { upload, rp };
    throw new ApiError('E0044R', 'list.gone');
  }
}
