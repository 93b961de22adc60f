import { Body, Controller, Get, Post, Query, Redirect, Render, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { FormGuard } from '../../platform/http/body/request-body.js';
import { CrossSiteGuard } from '../../platform/access/cross-site.guard.js';
import { Banners, successBanner } from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { SessionsOnGuard } from '../sessions/browser-sessions.js';
import { ConsoleSessions } from '../sessions/console-sessions.js';
import { BasicAuthGuard } from '../../platform/access/basic/basic-auth.js';
import { Allow } from '../../platform/access/allow.js';
import { ANYBODY } from '../../platform/access/accounts/account.js';
import { ConsoleSignIn } from './console-sign-in.js';
import { SignInCompletion } from './sign-in-completion.js';
import { SignInForm, SignInKeyForm, SignInQuery } from './sign-in.dto.js';
import { ownPath, SIGN_IN_TEMPLATE } from './sign-in.view.js';

const SIGN_IN_PAGE = '/console/sign-in';

/**
 * The sign-in page. Its form contains no token, since there is no account yet to which one could belong;
 * `CrossSiteGuard` refuses forms of other sites.
 */
@UseGuards(SessionsOnGuard, CrossSiteGuard, FormGuard)
@Controller('console/sign-in')
export class SignInController {
  constructor(
    private readonly signIn: ConsoleSignIn,
    private readonly completion: SignInCompletion,
    private readonly banners: Banners,
  ) {}

  @Get()
  @Render(SIGN_IN_TEMPLATE)
  page(@Query(DtoPipe) { to }: SignInQuery, @CurrentRequest() request: Request) {
    return this.signIn.page(request, to, { banner: this.banners.take(request) });
  }

  @Post()
  @Redirect('/', 303)
  @Audited('console.sign-in')
  async byPassword(
    @Body(DtoPipe) form: SignInForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<{ url: string }> {
    const { request } = call;
    const known = await this.signIn.byPassword(request, form);
    if (known.signIn === 'password+key') throw await this.signIn.keyNeeded(request, form, known);
    return this.completion.begin(call, form, known, { way: 'password' });
  }

  /**
   * Signs in by a key alone or, with a name, by the key beside the password: its challenge proves that the
   * password was correct.
   */
  @Post('key')
  @Redirect('/', 303)
  @Audited('console.sign-in')
  async byKey(
    @Body(DtoPipe) form: SignInKeyForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<{ url: string }> {
    const { known, key, verified } = await this.signIn.byKey(call.request, form);
    const way = form.username === undefined ? 'key' : 'password+key';
    const detail = verified && { verified: verified.name };
    return this.completion.begin(call, form, known, { way, key }, detail);
  }
}

/**
 * Requests HTTP Basic from a browser that cannot keep a session. Its path is at the root, so that the
 * browser sends the password to all pages (RFC 7617 §2.2).
 */
@Controller('basic')
export class BasicController {
  @Get()
  @Redirect('/', 303)
  @UseGuards(BasicAuthGuard)
  enter(@Query(DtoPipe) { to }: SignInQuery): { url: string } {
    return { url: ownPath(to) };
  }
}

/** Ends sessions of the calling account; pages of other sites cannot call it. */
@UseGuards(SessionsOnGuard, FormGuard)
@Allow('account:own')
@Controller('console')
export class SignOutController {
  constructor(
    private readonly sessions: ConsoleSessions,
    private readonly banners: Banners,
  ) {}

  @Post('sign-out')
  @Redirect(SIGN_IN_PAGE, 303)
  @Audited('console.sign-out')
  async end(@CurrentCall() call: AuditedCall): Promise<void> {
    await this.sessions.end(call.request, call);
    this.announceSignOut(call.request);
  }

  /** Ends all sessions including the one of this browser, which may have been used by someone else. */
  @Post('account/sessions/_end')
  @Redirect(SIGN_IN_PAGE, 303)
  @Audited('console.sign-out-everywhere')
  async endAll(@CurrentCall() call: AuditedCall): Promise<void> {
    await this.sessions.endAll(call.account.name, call);
    await this.sessions.end(call.request, call);
    this.announceSignOut(call.request);
  }

  /** Not bound to an account: the sign-in page has none. */
  private announceSignOut(request: Request): void {
    if (!request.res) return;
    const banner = successBanner(phrase('console:done.signedOut'));
    this.banners.leave(request, request.res, banner, ANYBODY);
  }
}
