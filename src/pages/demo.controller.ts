import { Controller, Get, Render, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '../http/openapi.js';
import type { PageView } from '../presentation/page.view.js';
import { PageInterceptor } from '../presentation/page.interceptor.js';

/** Registers and signs in with a real authenticator. */
@ApiExcludeController()
@UseInterceptors(PageInterceptor)
@Controller('demo')
export class DemoController {
  @Get()
  @Render('demo')
  demo(): PageView {
    return {
      title: 'Demo',
      nav: { demo: true },
      styles: ['/static/css/demo.css'],
      scripts: ['/static/js/demo/main.js'],
    };
  }
}
