import { Body, HttpCode, Post } from '@nestjs/common';
import { Audited, CurrentCall, noteRelyingParty, type AuditedCall } from '../../audit/audited.js';
import { OncePerPage } from '../../audit/forms/once-per-page.js';
import { OwnOrigin } from '../../platform/http/request-context.js';
import {
  InvitationIssue,
  ignoreEndedInvitation,
  invitationDetail,
} from '../../invitations/invitation-issue.js';
import { Invitations } from '../../invitations/invitations.js';
import {
  successBanner,
  failureBanner,
  LeadsToPage,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { PageController } from '../../platform/pages/page.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { userAddress } from './addresses.js';
import { InviteForm, InvitedUserForm, RevokeForm } from './pages.dto.js';
import { invitationPage } from './invitation.view.js';
import { PageScope } from './page-scope.js';
import { UserActions } from './user-actions.js';

const REVOKED = successBanner(phrase('users:done.withdrawn'));
const OVER = failureBanner(phrase('users:done.linkOver'));
const ALL_REVOKED = successBanner(phrase('users:done.allWithdrawn'));

/** Issues and revokes links for registering keys, which the help desk sends to users who lost theirs. */
@PageController('userapi/user/invitations', 'tickets:issue')
export class InvitationPageController {
  constructor(
    private readonly scope: PageScope,
    private readonly issuing: InvitationIssue,
    private readonly invitations: Invitations,
    private readonly actions: UserActions,
  ) {}

  /** Renders the page itself: after a redirect, the link would be in an address, which browsers and proxies keep. */
  @Post()
  @HttpCode(201)
  @OncePerPage('invitation')
  @Audited(({ body }) => ({ action: 'invitation.issue', target: body?.name }))
  async issue(
    @Body(DtoPipe) { rp: domain, name, user, displayName, minKeys, hours, link }: InviteForm,
    @CurrentCall() { account, note }: AuditedCall,
    @OwnOrigin() origin: string,
  ) {
    const rp = this.scope.one(account, domain);
    noteRelyingParty(note, rp);
    await this.actions.asShown(rp, name, user);
    const { url, invitation, detail } = await this.issuing.issue(rp, {
      username: name,
      ttl: hours * 3600,
      minKeys,
      issuedBy: account.name,
      origin,
      link: link === 'yes',
      ...(displayName !== undefined && { displayName }),
    });
    note.target = invitation.username;
    note.detail = detail;
    return invitationPage(rp, invitation, url);
  }

  @Post('withdraw')
  @LeadsToPage()
  @Audited(({ body }) => ({ action: 'invitation.revoke', target: body?.name }))
  async revoke(
    @Body(DtoPipe) { rp: domain, name, id }: RevokeForm,
    @CurrentCall() { account, note }: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const rp = this.scope.one(account, domain);
    noteRelyingParty(note, rp);
    const revoked = await this.invitations.revoke(rp, id).catch(ignoreEndedInvitation);
    if (revoked) {
      note.target = revoked.username;
      note.detail = invitationDetail(revoked);
    } else note.refused = true;
    return { url: userAddress(name, rp.domain), banner: revoked ? REVOKED : OVER };
  }

  @Post('withdraw-all')
  @LeadsToPage()
  @Audited(({ body }) => ({ action: 'invitation.revoke', target: body?.name }))
  async revokeAll(
    @Body(DtoPipe) { rp: domain, name }: InvitedUserForm,
    @CurrentCall() { account, note }: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const rp = this.scope.one(account, domain);
    const detail = await this.issuing.revokeAll(rp, name);
    noteRelyingParty(note, rp);
    note.target = name;
    note.detail = detail;
    return { url: userAddress(name, rp.domain), banner: ALL_REVOKED };
  }
}
