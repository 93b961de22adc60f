import { Readable } from 'node:stream';
import { Body, Get, HttpCode, Post, Query } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { atRelyingParty } from '../../audit/request-rows.js';
import { OncePerPage } from '../../audit/forms/once-per-page.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { readerOf } from '../../platform/access/limits/current-reader.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { OwnOrigin } from '../../platform/common/from-request.js';
import { LinkedUsers } from '../../users/moves/linked-users.js';
import { InvitationFile } from '../../invitations/invitation-file.js';
import { InvitationIssue, ignoreEndedInvitation } from '../../invitations/invitation-issue.js';
import { Invitations } from '../../invitations/invitations.js';
import { invitedPage } from '../../invitations/invited.view.js';
import {
  successBanner,
  failureBanner,
  LeadsToPage,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { withoutApostrophe } from '../../platform/pages/csv.js';
import { languageFor } from '../../platform/pages/languages/languages.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../platform/pages/page.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { columnOf, csvFormat, displayColumnOf } from '../lists/list-file.js';
import { csvRecords } from '../text-input.js';
import { USERS_PAGE, ensureShown, userPermissions, userAddress } from './page-frame.js';
import { InviteForm, InviteListForm, InvitedUserForm, RevokeForm } from './invitation-forms.dto.js';
import { PageQuery } from './pages.dto.js';
import { invitationPage } from './invitation.view.js';
import { PageParties } from './page-parties.js';

const LIST_ADDRESS = '/userapi/user/invitations/list';
const REVOKED = successBanner(phrase('users:done.withdrawn'));
const OVER = failureBanner(phrase('users:done.linkOver'));
const ALL_REVOKED = successBanner(phrase('users:done.allWithdrawn'));

/** Issues and revokes links for registering keys, which the help desk sends to users who lost theirs. */
@PageController('userapi/user/invitations', 'tickets:issue')
export class InvitationPageController {
  constructor(
    private readonly parties: PageParties,
    private readonly issuing: InvitationIssue,
    private readonly invitations: Invitations,
    private readonly linked: LinkedUsers,
    private readonly file: InvitationFile,
  ) {}

  /** Renders the page itself: after a redirect, the link would be in an address, which browsers and proxies keep. */
  @Post()
  @OncePerPage('invitation')
  @Audited(({ body }) => ({ action: 'invitation.issue', target: body?.name }))
  async issue(
    @Body(DtoPipe) form: InviteForm,
    @CurrentCall() call: AuditedCall,
    @OwnOrigin() origin: string,
  ) {
    const { rp: domain, name, user, displayName, minKeys, hours, link } = form;
    const { account } = call;
    const rp = this.parties.one(account, domain);
    call.about(atRelyingParty(rp));
    ensureShown(await this.linked.find(rp, [name]), user);
    const { url, invitation, warning } = await this.issuing.issue(call, rp, {
      username: name,
      ttl: hours * 3600,
      minKeys,
      issuer: account,
      origin,
      linking: link === 'yes' ? 'all users' : 'none',
      ...(displayName !== undefined && { displayName }),
    });
    const { language = languageFor(call.request), zone } = form;
    return invitationPage(rp, invitation, { link: url, language, zone, warning });
  }

  @Post('withdraw')
  @LeadsToPage()
  @Audited(({ body }) => ({ action: 'invitation.revoke', target: body?.name }))
  async revoke(
    @Body(DtoPipe) { rp: domain, name, id }: RevokeForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const rp = this.parties.one(call.account, domain);
    call.about(atRelyingParty(rp));
    const revoked = await this.invitations.revoke(call, rp, id).catch(ignoreEndedInvitation);
    if (!revoked) await call.refuse({});
    return { url: userAddress(name, rp.domain), banner: revoked ? REVOKED : OVER };
  }

  @Post('withdraw-all')
  @LeadsToPage()
  @Audited(({ body }) => ({ action: 'invitation.revoke', target: body?.name }))
  async revokeAll(
    @Body(DtoPipe) { rp: domain, name }: InvitedUserForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const rp = this.parties.one(call.account, domain);
    await this.issuing.revokeAll(call, rp, name);
    return { url: userAddress(name, rp.domain), banner: ALL_REVOKED };
  }

  /** The form for the invitees on a list, most of whom are not users yet. */
  @Get('list')
  @Page('invite-list')
  showList(@Query(DtoPipe) { rp: domain }: PageQuery, @CurrentAccount() account: Account) {
    return {
      ...USERS_PAGE,
      title: phrase('users:inviteList.title'),
      tab: { invite: true },
      permissions: userPermissions(account),
      choices: this.parties.choices(account, domain),
      address: LIST_ADDRESS,
    };
  }

  /** Renders the page: a redirect could not carry the links, which are shown only once. */
  @Post('list')
  @HttpCode(200)
  @OncePerPage('invited')
  @Audited('invitation.issue')
  async issueList(
    @Body(DtoPipe) { rp: domain, users, hours, again }: InviteListForm,
    @CurrentCall() call: AuditedCall,
    @OwnOrigin() origin: string,
  ) {
    const { request, account } = call;
    const rp = this.parties.one(account, domain);
    const invitees = await inviteesIn(users, rp);
    if (invitees.length === 0) throw new ApiError('E0045R', 'list.empty');
    call.about(atRelyingParty(rp));
    const ttl = hours * 3600;
    const terms = { ttl, again: again === 'yes', issuer: account, origin };
    return invitedPage(this.file.invite(invitees, terms, call.useRowPerChange()), {
      reader: readerOf(request),
      language: languageFor(request),
      back: LIST_ADDRESS,
    });
  }
}

/** The invitees on a list, each name once. */
async function inviteesIn(text: string, relyingParty: RelyingParty) {
  const invitees = (await rowsIn(text)).map(([name = '', newDisplayName = '']) => ({
    username: normalizeName(name),
    displayName: newDisplayName || name,
    relyingParty,
    ...(newDisplayName !== '' && { newDisplayName }),
  }));
  const named = invitees.filter(({ username }) => username !== '');
  return [...new Map(named.map((user) => [user.username, user])).values()];
}

/** Separates the columns of a list without a heading; other names may contain commas. */
const SEPARATOR = /\t|(?<=@[^\s,;]*)[,;]/;

/** The lines of a list: user name and display name. */
async function rowsIn(text: string): Promise<string[][]> {
  const format = csvFormat(text);
  if (!format) {
    return text.split('\n').map((line) => line.split(SEPARATOR).map((part) => part.trim()));
  }
  const options = { ...format, trim: true };
  const records: string[][] = [];
  for await (const { record } of csvRecords<string[]>(Readable.from([text]), options)) {
    records.push(record.map(withoutApostrophe));
  }
  const [heading = [], ...rows] = records;
  const name = columnOf(heading);
  const display = displayColumnOf(heading);
  return rows.map((row) => [row[name] ?? '', row[display] ?? '']);
}
