import { Injectable } from '@nestjs/common';
import type { FoundUser } from '../../credentials/user-rows.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { AttestationReader } from './attestation-facts.js';
import { keyCard } from './key-card.view.js';
import type { KeyCard } from './key-card.view.js';

/** The keys of a person, with what is known of their models. */
@Injectable()
export class KeyCards {
  constructor(
    private readonly attestations: AttestationReader,
    private readonly models: AuthenticatorModels,
  ) {}

  async ofUser(user: FoundUser): Promise<KeyCard[]> {
    const facts = await this.attestations.ofUser(user.relyingParty, user.id);
    return user.credentials.map((credential) => {
      const aaguid = aaguidText(credential.aaguid);
      const model = { name: this.models.name(aaguid), icon: this.models.icon(aaguid) };
      return keyCard(credential, facts.get(credential.id.toString('hex')), model);
    });
  }
}
