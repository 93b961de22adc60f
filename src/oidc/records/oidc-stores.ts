import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { Database } from '../../platform/database/database.js';
import { CeremonyStore } from '../../fido/ceremonies/stores/ceremony-store.js';
import { OidcClients } from '../../issuers/clients/oidc-clients.js';
import { originOf } from '../../issuers/issuer-address.js';

/** Injects the store of interactions, and of sessions in which nobody has signed in: anyone can begin them. */
export const UNSIGNED_STORE = Symbol('UNSIGNED_STORE');

/** Where the adapters of all issuers read and store. */
@Injectable()
export class OidcStores {
  constructor(
    readonly database: Database,
    readonly clock: Clock,
    readonly clients: OidcClients,
    @Inject(UNSIGNED_STORE) readonly unsigned: CeremonyStore,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /** The origin of all issuers. */
  get origin(): string {
    return originOf(this.options);
  }
}
