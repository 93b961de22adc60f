import { Module } from '@nestjs/common';
import type { MiddlewareConsumer, NestModule } from '@nestjs/common';
import hbs from 'hbs';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { FidoModule } from '../fido/fido.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { advice } from './advice.js';
import { DashboardController } from './dashboard.controller.js';
import { DashboardService } from './dashboard.service.js';
import { DemoController } from './demo.controller.js';
import { DocsController } from './docs.controller.js';
import { StatusController } from './status.controller.js';
import { StatusService } from './status.service.js';
import { toLocalhost } from './to-localhost.js';

/** The pages for people. Their templates, styles and scripts are in `views`. */
@Module({
  imports: [CredentialsModule, FidoModule, TenancyModule],
  controllers: [DashboardController, DemoController, DocsController, StatusController],
  providers: [DashboardService, StatusService],
})
export class PagesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    hbs.registerHelper('advice', advice);
    consumer.apply(toLocalhost).forRoutes('demo');
  }
}
