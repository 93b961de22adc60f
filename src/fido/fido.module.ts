import { Module } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { SERVER_OPTIONS } from '../config/server-options.js';
import type { ServerOptions } from '../config/server-options.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { AuthenticationService } from './authentication.service.js';
import { Ceremonies } from './ceremonies.js';
import { CeremonyStore } from './ceremony-store.js';
import { FidoController } from './fido.controller.js';
import { JwksController } from './jwks.controller.js';
import { MemoryCeremonyStore } from './memory-ceremony-store.js';
import { RateLimits } from './rate-limits.js';
import { RedisCeremonyStore } from './redis-ceremony-store.js';
import { RegistrationPermission } from './registration-permission.js';
import { RegistrationService } from './registration.service.js';
import { SigningKeys } from './signing-keys.js';
import { TicketController } from './ticket.controller.js';
import { TicketService } from './ticket.service.js';
import { TokenService } from './token.service.js';

function openStore({ sessions, session }: ServerOptions, clock: Clock): CeremonyStore {
  const lifeMs = session * 1000;
  return sessions.startsWith('memory:')
    ? new MemoryCeremonyStore(clock, lifeMs)
    : new RedisCeremonyStore(sessions, lifeMs);
}

@Module({
  imports: [TenancyModule, CredentialsModule],
  controllers: [FidoController, JwksController, TicketController],
  providers: [
    AuthenticationService,
    Ceremonies,
    { provide: CeremonyStore, inject: [SERVER_OPTIONS, Clock], useFactory: openStore },
    RateLimits,
    RegistrationPermission,
    RegistrationService,
    SigningKeys,
    TicketService,
    TokenService,
  ],
  exports: [CeremonyStore, SigningKeys],
})
export class FidoModule implements OnApplicationShutdown {
  constructor(private readonly store: CeremonyStore) {}

  onApplicationShutdown(): Promise<void> {
    return this.store.close();
  }
}
