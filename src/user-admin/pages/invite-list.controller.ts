import { Readable } from 'node:stream';
import { Body, Get, HttpCode, Post, Query } from '@nestjs/common';
import { Audited, CurrentCall, noteRelyingParty, type AuditedCall } from '../../audit/audited.js';
import { OncePerPage } from '../../audit/forms/once-per-page.js';
import { InvitationFile } from '../../invitations/invitation-file.js';
import { invitedPage } from '../../invitations/invited.view.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { readerOf } from '../../platform/access/limits/reader.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { OwnOrigin } from '../../platform/http/request-context.js';
import { languageFor } from '../../platform/pages/languages/languages.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../platform/pages/page.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { columnOf, csvDelimiter } from '../lists/list-file.js';
import { csvRecords } from '../text-input.js';
import { USERS_PAGE, userPermissions } from './page-frame.js';
import { PageScope } from './page-scope.js';
import { InviteListForm, PageQuery } from './pages.dto.js';

const ADDRESS = '/userapi/user/invitations/list';

/** Invites the people on a list, most of whom are not users yet. */
@PageController('userapi/user/invitations/list', 'tickets:issue')
export class InviteListController {
  constructor(
    private readonly scope: PageScope,
    private readonly invitations: InvitationFile,
  ) {}

  @Get()
  @Page('invite-list')
  show(@Query(DtoPipe) { rp: domain }: PageQuery, @CurrentAccount() account: Account) {
    return {
      ...USERS_PAGE,
      title: phrase('users:inviteList.title'),
      tab: { invite: true },
      permissions: userPermissions(account),
      choices: this.scope.choices(account, domain),
      address: ADDRESS,
    };
  }

  /** Renders the page: a redirect could not carry the links, which are shown only once. */
  @Post()
  @HttpCode(200)
  @OncePerPage('invited')
  @Audited('invitation.issue')
  async invite(
    @Body(DtoPipe) { rp: domain, users, hours, again }: InviteListForm,
    @CurrentCall() { request, account, note, rows }: AuditedCall,
    @OwnOrigin() origin: string,
  ) {
    const rp = this.scope.one(account, domain);
    const people = await peopleIn(users, rp);
    if (people.length === 0) throw new ApiError('E0045R', 'list.empty');
    noteRelyingParty(note, rp);
    note.each = [];
    const ttl = hours * 3600;
    const wish = { ttl, again: again === 'yes', issuedBy: account.name, origin };
    return invitedPage(this.invitations.invite(people, wish, rows), {
      reader: readerOf(request),
      language: languageFor(request),
      back: ADDRESS,
    });
  }
}

/** The people on a list, each name once. */
async function peopleIn(text: string, relyingParty: RelyingParty) {
  const people = (await rowsIn(text)).map(([name = '', newDisplayName = '']) => ({
    username: normalizeName(name),
    displayName: newDisplayName || name,
    relyingParty,
    ...(newDisplayName !== '' && { newDisplayName }),
  }));
  const named = people.filter(({ username }) => username !== '');
  return [...new Map(named.map((person) => [person.username, person])).values()];
}

/** Separates the columns of a list without a heading; other names may contain commas. */
const SEPARATOR = /\t|(?<=@[^\s,;]*)[,;]/;

/** The lines of a list: user name and display name. */
async function rowsIn(text: string): Promise<string[][]> {
  const delimiter = csvDelimiter(text);
  if (delimiter === undefined) {
    return text.split('\n').map((line) => line.split(SEPARATOR).map((part) => part.trim()));
  }
  const options = { delimiter, trim: true };
  const records: string[][] = [];
  for await (const { record } of csvRecords<string[]>(Readable.from([text]), options)) {
    records.push(record);
  }
  const [heading = [], ...rows] = records;
  const column = columnOf(heading);
  return rows.map((row) => [row[column] ?? '', row[column === 0 ? 1 : 0] ?? '']);
}
