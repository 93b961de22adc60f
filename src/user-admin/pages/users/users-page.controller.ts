import { Readable } from 'node:stream';
import { Get, Query, StreamableFile } from '@nestjs/common';
import type { Reader } from '../../../platform/common/turns/read-turns.js';
import { CurrentReader } from '../../../platform/access/limits/current-reader.js';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { atRelyingParty } from '../../../audit/request-rows.js';
import type { AuditDetail } from '../../../audit/audit-entry.js';
import { Clock } from '../../../platform/common/clock.js';
import { lastUseOf } from '../../../users/list/filter-and-order.js';
import { ModelKeys } from '../../../users/list/model-keys.js';
import type { FoundUser } from '../../../users/user-rows.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { AnswersFile } from '../../../platform/access/unknown-names.interceptor.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { RelyingPartyFinder } from '../../../tenancy/scope/relying-party-finder.js';
import { HeaderRp } from '../../../tenancy/scope/scope.interceptor.js';
import { AuthenticatorModels } from '../../../trust/authenticator-models.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import { isoOrEmpty } from '../../../platform/validation/values/moment.js';
import { NO_AAGUID, aaguidText } from '../../../webauthn/aaguid.js';
import { PageParties } from '../page-parties.js';
import {
  cellsOf,
  csvHeading,
  csvRows,
  type CsvColumns,
  type CsvDialect,
} from '../../../platform/pages/csv.js';
import { ForSpreadsheet } from '../../../platform/pages/represent.js';
import { UsersFinder } from './users-finder.js';
import { UsersFileQuery, UsersQuery, parametersOf } from './users.dto.js';
import { usersPage, type ModelChoice } from './users.view.js';

@PageController('userapi', 'users:read')
export class UsersPageController {
  constructor(
    private readonly parties: PageParties,
    private readonly relyingParties: RelyingPartyFinder,
    private readonly finder: UsersFinder,
    private readonly modelKeys: ModelKeys,
    private readonly models: AuthenticatorModels,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Page('users')
  async show(
    @Query(DtoPipe) query: UsersQuery,
    @CurrentAccount() account: Account,
    @CurrentReader() reader: Reader,
  ) {
    const rps = this.parties.some(account, query.rp);
    const [found, models] = await Promise.all([
      this.finder.page(rps, query, reader),
      this.modelChoices(rps, query.model?.toLowerCase()),
    ]);
    const choices = this.parties.choices(account, query.rp);
    const domains = rps.map(({ domain }) => domain);
    const names = this.models;
    const now = this.clock.now();
    return usersPage({ found, query, domains, choices, models, names, account, now });
  }

  /** A CSV file of all users of the view, streamed while they are read. */
  @Get('users.csv')
  @AnswersFile()
  @Audited('users.export')
  export(
    @Query(DtoPipe) query: UsersFileQuery,
    @HeaderRp() header: RelyingParty | undefined,
    @CurrentCall() { account, about }: AuditedCall,
    @CurrentReader() reader: Reader,
    @ForSpreadsheet() dialect: CsvDialect | undefined,
  ): StreamableFile {
    const relyingParty = this.domainOf(account, query) ?? header?.domain;
    const rps = this.parties.some(account, relyingParty);
    const conditions = Object.entries(parametersOf(query)).filter(
      ([name, value]) => value !== undefined && name !== 'rp' && name !== 'filter',
    );
    const detail = Object.fromEntries(conditions) as AuditDetail;
    const [rp, ...others] = rps;
    const named = rp && others.length === 0 ? atRelyingParty(rp) : {};
    about({ ...named, target: query.filter, detail });
    const rows = usersCsv(this.finder.slices(rps, query, reader), dialect);
    return new StreamableFile(Readable.from(rows), {
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="users.csv"',
    });
  }

  /** The domain that the parameters of a file name: `rp`, as the page does, or `relyingParty`, as other calls do. */
  private domainOf(account: Account, { rp, relyingParty }: UsersFileQuery): string | undefined {
    if (relyingParty === undefined) return rp;
    const { domain } = this.relyingParties.findVisible(account, relyingParty);
    if (rp === undefined || rp === domain) return domain;
    throw new ApiError('E0045R', 'parameters.wrong', {}, { field: 'rp' });
  }

  /** The models that have keys, and the selected one, sorted by name. */
  private async modelChoices(
    rps: readonly RelyingParty[],
    selected: string | undefined,
  ): Promise<readonly ModelChoice[]> {
    const used = (await this.modelKeys.modelsOf(rps)).map(aaguidText);
    const aaguids = new Set(selected === undefined ? used : [...used, selected]);
    const textOf = (aaguid: string) => this.models.name(aaguid) ?? aaguid;
    return [...aaguids]
      .sort((one, other) => textOf(one).localeCompare(textOf(other), 'en'))
      .map((aaguid) => ({
        aaguid,
        name: aaguid === NO_AAGUID ? phrase('users:card.noModel') : textOf(aaguid),
        selected: aaguid === selected,
      }));
  }
}

const countOf = ({ credentials }: FoundUser, wanted: boolean): number =>
  credentials.filter(({ enabled }) => enabled === wanted).length;

const COLUMNS: CsvColumns<FoundUser> = {
  username: ({ username }) => username,
  displayName: ({ displayName }) => displayName,
  relyingParty: ({ relyingParty }) => relyingParty.domain,
  createdAt: ({ createdAt }) => isoOrEmpty(createdAt),
  canSignIn: ({ canSignIn }) => (canSignIn ? 'yes' : 'no'),
  enabledKeys: (user) => countOf(user, true),
  disabledKeys: (user) => countOf(user, false),
  lastUsed: (user) => isoOrEmpty(lastUseOf(user)),
};

/** Writes a file with a line for each user, slice by slice. */
async function* usersCsv(
  slices: AsyncIterable<readonly FoundUser[]>,
  dialect?: CsvDialect,
): AsyncGenerator<string> {
  yield csvHeading(Object.keys(COLUMNS), dialect);
  for await (const users of slices) {
    yield csvRows(
      users.map((user) => cellsOf(COLUMNS, user)),
      dialect,
    );
  }
}
