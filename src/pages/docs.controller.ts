import { Controller, Get, Render } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { PageView } from './page.view.js';

/** The OpenAPI description, for reading. */
@ApiExcludeController()
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
