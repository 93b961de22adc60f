import { Controller, Get, Render, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '../platform/http/openapi/openapi.js';
import { phrase } from '../platform/pages/languages/phrase.js';
import type { PageView } from '../platform/pages/page.view.js';
import { PageInterceptor } from '../platform/pages/page.interceptor.js';

/** The page on which one can register and sign in with a real authenticator. */
@ApiExcludeController()
@UseInterceptors(PageInterceptor)
@Controller('demo')
export class DemoController {
  @Get()
  @Render('demo')
  demo(): PageView {
    return {
      title: phrase('layout:nav.demo'),
      texts: 'demo',
      nav: { demo: true },
      styles: ['/static/css/demo.css'],
      scripts: ['/static/js/demo/main.js'],
    };
  }
}
