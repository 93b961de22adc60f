import { Controller, Get, Query, Redirect, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '../../platform/http/openapi/openapi.js';
import { BasicAuthGuard } from '../../platform/access/basic/basic-auth.guard.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { ownPath } from './own-path.js';
import { SignInQuery } from './sign-in.dto.js';

/**
 * Asks a browser that can keep no session for HTTP Basic. Its path lies at the root, so that the browser
 * sends the password that it is given here to all pages (RFC 7617 §2.2).
 */
@ApiExcludeController()
@Controller('basic')
export class BasicController {
  @Get()
  @Redirect('/', 303)
  @UseGuards(BasicAuthGuard)
  enter(@Query(DtoPipe) { to }: SignInQuery): { url: string } {
    return { url: ownPath(to) };
  }
}
