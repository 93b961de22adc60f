import { Controller, HttpCode, Post, Render, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { Audited } from '../../audit/audited.js';
import { FormGuard } from '../../platform/http/body/form-body.js';
import { ApiExcludeController } from '../../platform/http/openapi/openapi.js';
import { Allow } from '../../platform/access/allow.js';
import { CurrentBrowser } from '../current-request.js';
import { SessionsOnGuard } from '../sessions-on.guard.js';
import { ConsoleSessions } from '../sessions/console-sessions.service.js';
import { SIGN_IN_TEMPLATE } from './sign-in.page.js';
import { SignIn } from './sign-in.service.js';

/** Ends the session of the browser that asks for it; the page of another site cannot ask. */
@ApiExcludeController()
@UseGuards(SessionsOnGuard)
@Allow('account:own')
@Controller('console/sign-out')
export class SignOutController {
  constructor(
    private readonly sessions: ConsoleSessions,
    private readonly signIn: SignIn,
  ) {}

  @Post()
  @HttpCode(200)
  @Render(SIGN_IN_TEMPLATE)
  @UseGuards(FormGuard)
  @Audited('console.sign-out')
  async end(@CurrentBrowser() browser: Request) {
    await this.sessions.end(browser);
    return this.signIn.page(browser, '/', { signedOut: true });
  }
}
