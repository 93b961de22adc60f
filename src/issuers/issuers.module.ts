import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { FidoModule } from '../fido/fido.module.js';
import { OidcClient } from './clients/oidc-client.entity.js';
import { OidcClientPagesController } from './clients/oidc-client-pages.controller.js';
import { OidcClients } from './clients/oidc-clients.js';
import { OidcClientsController } from './clients/oidc-clients.controller.js';
import { IssuerKeys } from './issuer-keys.js';
import { PageSignIns } from './page-sign-ins.js';
import { SignInPageMiddleware } from './sign-in-page.middleware.js';

/** What the doors of OpenID Connect share: clients, the keys of issuers, and sign-ins on this server's page. */
@Module({
  imports: [TypeOrmModule.forFeature([OidcClient]), FidoModule],
  controllers: [OidcClientsController, OidcClientPagesController],
  providers: [IssuerKeys, OidcClients, PageSignIns, SignInPageMiddleware],
  exports: [IssuerKeys, OidcClients, PageSignIns, SignInPageMiddleware],
})
export class IssuersModule {}
