import { Module } from '@nestjs/common';
import { UsersModule } from '../../users/users.module.js';
import { TenancyModule } from '../../tenancy/tenancy.module.js';
import { TrustModule } from '../trust.module.js';
import { AaguidController } from './aaguid.controller.js';
import { AaguidPages } from './aaguid.page.js';

/** The whitelist of authenticator models in the administration. */
@Module({
  imports: [UsersModule, TenancyModule, TrustModule],
  controllers: [AaguidController],
  providers: [AaguidPages],
})
export class ModelsModule {}
