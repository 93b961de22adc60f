import { Controller, Get, Header, Render, UseInterceptors } from '@nestjs/common';
import { VERSION } from '../config/project.js';
import { ApiExcludeController } from '../http/openapi.js';
import { StatusService } from './status.service.js';
import type { StatusView, VersionView } from './status.view.js';
import { PageInterceptor } from '../presentation/page.interceptor.js';

/** Public pages about the server itself. */
@ApiExcludeController()
@UseInterceptors(PageInterceptor)
@Controller()
export class StatusController {
  constructor(private readonly status: StatusService) {}

  @Get('status')
  @Header('Cache-Control', 'no-store')
  @Render('status')
  show(): Promise<StatusView> {
    return this.status.view();
  }

  @Get('getversion')
  @Render('version')
  version(): VersionView {
    return {
      title: 'Version',
      facts: [
        { name: 'ServiceFido', value: VERSION },
        { name: 'Standards', value: 'W3C WebAuthn Level 3, FIDO CTAP 2.2 and U2F authenticators' },
      ],
    };
  }
}
