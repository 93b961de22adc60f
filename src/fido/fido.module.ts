import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Clock } from '../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import { UsersModule } from '../users/users.module.js';
import { RedisLink } from '../platform/database/redis-link.js';
import { InvitationsModule } from '../invitations/invitations.module.js';
import { EventsModule } from '../events/events.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { TrustModule } from '../trust/trust.module.js';
import { AuthenticationOptions } from './authentication/authentication-options.js';
import { AssertionVerifier } from './authentication/assertion-verifier.js';
import { AuthenticationService } from './authentication/authentication.service.js';
import { NamedUsers } from './authentication/named-users.js';
import { SecondFactors } from './authentication/second-factors.js';
import { SignInRecorder } from './authentication/sign-in-recorder.js';
import { SignedInUsers } from './authentication/signed-in-users.js';
import { SignInTokens } from './sign-in-tokens.js';
import { Ceremonies } from './ceremonies/ceremonies.js';
import { CeremonyStore } from './ceremonies/stores/ceremony-store.js';
import { CeremonyTally } from './tally/ceremony-tally.js';
import { AuthenticationController } from './authentication/authentication.controller.js';
import { RegistrationController } from './registration/registration.controller.js';
import { AuditInvitation } from './invitations/audit-invitation.interceptor.js';
import { InvitationLookupController } from './invitations/invitation-lookup.controller.js';
import {
  ANSWER_LIFE_MS,
  KeptAnswers,
  MemoryClaims,
  RedisClaims,
} from './idempotency/kept-answers.js';
import { RepeatableRegistration } from './idempotency/repeatable-registration.entity.js';
import { CeremonyStoreFactory } from './ceremonies/stores/ceremony-store-factory.js';
import { KeyOwner } from './my-keys/key-owner.js';
import { MyKeysController } from './my-keys/my-keys.controller.js';
import { MyKeys } from './my-keys/my-keys.js';
import { RateLimits } from './limits/rate-limits.js';
import { ReadyCredentials } from './authentication/ready-credentials.js';
import { RefusalLog } from './refusals/refusal-log.js';
import { RegistrationOptions } from './registration/registration-options.js';
import { RegistrationPermission } from './registration/registration-permission.js';
import { RegistrationService } from './registration/registration.service.js';
import { RegistrationRecorder } from './registration/registration-recorder.js';
import { RegistrationVerifier } from './registration/registration-verifier.js';
import { ExpiredPermits } from './tickets/expired-permits.js';
import { TicketController } from './tickets/ticket.controller.js';
import { Ticket } from './tickets/ticket.entity.js';
import { TicketService } from './tickets/ticket.service.js';
import { MovingUsers } from './moving-users.js';
import { UserIds } from './user-ids.js';
import { JwksController } from './tokens/jwks.controller.js';
import { SigningKeyEntity } from './tokens/signing-key.entity.js';
import { SigningKeys } from './tokens/signing-keys.js';
import { TokenService } from './tokens/token.service.js';

const openStore = (stores: CeremonyStoreFactory, { session }: ServerOptions): CeremonyStore =>
  stores.open('ceremonies', { lifeMs: session * 1000 });

function openAnswers(stores: CeremonyStoreFactory, clock: Clock, link: RedisLink | null) {
  const store = stores.open('answers', { lifeMs: ANSWER_LIFE_MS, share: 1 / 4 });
  return new KeptAnswers(store, link ? new RedisClaims(link) : new MemoryClaims(), clock);
}

@Module({
  imports: [
    TypeOrmModule.forFeature([SigningKeyEntity, Ticket, RepeatableRegistration]),
    EventsModule,
    TenancyModule,
    TrustModule,
    UsersModule,
    InvitationsModule,
  ],
  controllers: [
    RegistrationController,
    AuthenticationController,
    TicketController,
    InvitationLookupController,
    MyKeysController,
    JwksController,
  ],
  providers: [
    AuditInvitation,
    SignInTokens,
    KeyOwner,
    MovingUsers,
    MyKeys,
    AssertionVerifier,
    AuthenticationOptions,
    AuthenticationService,
    Ceremonies,
    CeremonyTally,
    ExpiredPermits,
    CeremonyStoreFactory,
    {
      provide: CeremonyStore,
      inject: [CeremonyStoreFactory, serverOptions.KEY],
      useFactory: openStore,
    },
    {
      provide: KeptAnswers,
      inject: [CeremonyStoreFactory, Clock, RedisLink],
      useFactory: openAnswers,
    },
    NamedUsers,
    RateLimits,
    ReadyCredentials,
    RefusalLog,
    RegistrationOptions,
    RegistrationPermission,
    RegistrationService,
    RegistrationRecorder,
    RegistrationVerifier,
    SecondFactors,
    SignInRecorder,
    SignedInUsers,
    SigningKeys,
    TicketService,
    TokenService,
    UserIds,
  ],
  exports: [
    AuthenticationService,
    Ceremonies,
    CeremonyStore,
    CeremonyStoreFactory,
    CeremonyTally,
    RateLimits,
    RefusalLog,
    TicketService,
  ],
})
export class FidoModule {}
