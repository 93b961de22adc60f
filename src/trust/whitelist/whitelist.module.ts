import { Module } from '@nestjs/common';
import { CredentialsModule } from '../../credentials/credentials.module.js';
import { TenancyModule } from '../../tenancy/tenancy.module.js';
import { TrustModule } from '../trust.module.js';
import { AaguidController } from './aaguid.controller.js';
import { AaguidPages } from './aaguid.page.js';

/** The whitelist of authenticator models in the administration. */
@Module({
  imports: [CredentialsModule, TenancyModule, TrustModule],
  controllers: [AaguidController],
  providers: [AaguidPages],
})
export class ModelsModule {}
