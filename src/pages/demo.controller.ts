import { Controller, Get, Render, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '../http/openapi.js';
import { phrase } from '../presentation/languages/phrase.js';
import type { PageView } from '../presentation/page.view.js';
import { PageInterceptor } from '../presentation/page.interceptor.js';

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
