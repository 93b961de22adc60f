import { Module, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { FidoModule } from '../fido/fido.module.js';
import { IssuersModule } from '../issuers/issuers.module.js';
import { SignInPageMiddleware } from '../issuers/sign-in-page.middleware.js';
import { UsersModule } from '../users/users.module.js';
import { EntraController } from './entra.controller.js';
import { EntraMetadataController } from './entra-metadata.controller.js';
import { EntraIssuer } from './entra-issuer.js';
import { EntraSignIns } from './entra-sign-ins.js';
import { EntraSource } from './entra-source.js';
import { EntraUsers } from './entra-users.js';
import { HintKeys } from './hint-keys.js';
import { HintVerifier } from './hint-verifier.js';
import { PendingSignIns } from './pending-sign-ins.js';

/** External MFA of Microsoft Entra ID. `AppModule` loads it only with `--entra on`. */
@Module({
  imports: [FidoModule, IssuersModule, UsersModule],
  controllers: [EntraController, EntraMetadataController],
  providers: [
    EntraIssuer,
    EntraSignIns,
    EntraSource,
    EntraUsers,
    HintKeys,
    HintVerifier,
    PendingSignIns,
  ],
})
export class EntraModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SignInPageMiddleware).forRoutes('entra/{*path}');
  }
}
