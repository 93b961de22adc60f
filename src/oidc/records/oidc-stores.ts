import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { Database } from '../../platform/database/database.js';
import { CeremonyStore } from '../../fido/ceremonies/stores/ceremony-store.js';
import { OidcClients } from '../clients/oidc-clients.js';

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
  ) {}
}
