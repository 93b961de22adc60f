import { Controller, Get, Header, Render, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { BasicAuthGuard } from '../security/basic-auth.guard.js';
import { DashboardService } from './dashboard.service.js';
import { PageInterceptor } from './page.interceptor.js';

/** The administrators' first page. */
@ApiExcludeController()
@UseInterceptors(PageInterceptor)
@UseGuards(BasicAuthGuard)
@Controller()
export class DashboardController {
  constructor(private readonly dashboard: DashboardService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @Render('dashboard')
  show() {
    return this.dashboard.view();
  }
}
