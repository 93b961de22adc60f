import { Controller, Get, Render, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '../http/openapi.js';
import type { PageView } from '../presentation/page.view.js';
import { PageInterceptor } from '../presentation/page.interceptor.js';

/** The OpenAPI description, for reading. */
@ApiExcludeController()
@UseInterceptors(PageInterceptor)
@Controller('docs')
export class DocsController {
  @Get()
  @Render('docs')
  docs(): PageView {
    return {
      title: 'API',
      nav: { docs: true },
      styles: ['/static/css/docs.css'],
      scripts: ['/static/js/docs.js'],
    };
  }
}
