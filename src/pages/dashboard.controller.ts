import { Controller, Get, Header, Render, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { BasicAuthGuard } from '../security/basic-auth.guard.js';
import { DashboardService } from './dashboard.service.js';

/** The administrators' first page. */
@ApiExcludeController()
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
