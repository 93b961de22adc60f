import { Controller, Get, Render } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { PageView } from './page.view.js';

/** Registers and signs in with a real authenticator. */
@ApiExcludeController()
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
