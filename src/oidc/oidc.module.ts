import { Module, RequestMethod, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { formBody, uncompressedOnly } from '../platform/http/body/request-body.js';
import { noStore } from '../platform/http/security-headers.js';
import { FidoModule } from '../fido/fido.module.js';
import { CeremonyStoreFactory } from '../fido/ceremonies/stores/ceremony-store-factory.js';
import { IssuersModule } from '../issuers/issuers.module.js';
import { UsersModule } from '../users/users.module.js';
import { formAsQuery } from './form-as-query.js';
import { OidcMiddleware } from './oidc.middleware.js';
import { OidcUsers } from './provider/oidc-users.js';
import { ProviderPages } from './provider/provider-pages.js';
import { Providers } from './provider/providers.js';
import { ExpiredRecords } from './records/expired-records.js';
import { OidcRecord } from './records/oidc-record.entity.js';
import { ProviderAdapters, UnsignedStore } from './records/provider-adapter.js';
import { OidcSignIns } from './sign-in/oidc-sign-ins.js';
import { OidcSignInController } from './sign-in/sign-in.controller.js';

const HALF_AN_HOUR_MS = 30 * 60_000;

/** OpenID Connect for applications. `AppModule` loads it only with `--oidc on`. */
@Module({
  imports: [TypeOrmModule.forFeature([OidcRecord]), FidoModule, IssuersModule, UsersModule],
  controllers: [OidcSignInController],
  providers: [
    ExpiredRecords,
    OidcSignIns,
    OidcUsers,
    ProviderAdapters,
    ProviderPages,
    Providers,
    {
      provide: UnsignedStore,
      inject: [CeremonyStoreFactory],
      useFactory: (stores: CeremonyStoreFactory) =>
        stores.open('interactions', { lifeMs: HALF_AN_HOUR_MS, share: 1 / 4 }),
    },
  ],
})
export class OidcModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const forms = ['auth', 'session/end'].map((path) => ({
      path: `oidc/:domain/${path}`,
      method: RequestMethod.POST,
    }));
    consumer.apply(noStore, uncompressedOnly, formBody(), formAsQuery).forRoutes(...forms);
    consumer.apply(OidcMiddleware).forRoutes('oidc/:domain');
  }
}
