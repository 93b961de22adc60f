import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { scope } from '../../../platform/database/scope.js';
import { Attestations } from '../../../users/attestations/attestations.js';
import { withLabels } from '../../../users/credentials/key-label.js';
import { Credential } from '../../../users/credentials/credential.entity.js';
import type { FoundUser } from '../../../users/user-rows.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { KeyFindings } from '../../../trust/findings/key-findings.js';
import { AuthenticatorModels } from '../../../trust/authenticator-models.js';
import { aaguidText } from '../../../webauthn/aaguid.js';
import { keyCard, REGISTRATION_RESULTS, type KeyCard } from './key-card.view.js';

/** The keys of a user, with the data of their models. */
@Injectable()
export class KeyCards {
  constructor(
    @InjectRepository(Credential) private readonly credentials: Repository<Credential>,
    readonly models: AuthenticatorModels,
    private readonly proofs: Attestations,
    private readonly findings: KeyFindings,
  ) {}

  /** @param shownAt the relying party of the page; cards of keys at the old domain name that domain */
  async ofUser(user: FoundUser, shownAt: RelyingParty): Promise<KeyCard[]> {
    const { relyingParty: rp, credentials } = user;
    const domain = rp.domain === shownAt.domain ? undefined : rp.domain;
    const facts = await this.credentials.find({
      select: { id: true, ...REGISTRATION_RESULTS },
      where: { ...scope(rp), userId: user.id },
    });
    const ids = credentials.map(({ id }) => id);
    const proofs = await this.proofs.of(rp, ids);
    const findings = await this.findings.of(rp, ids);
    return withLabels(credentials, this.models).map((credential) => {
      const proof = proofs.find(({ id }) => id.equals(credential.id));
      const known = {
        ...facts.find(({ id }) => id.equals(credential.id)),
        origin: proof && this.models.provenance(aaguidText(credential.aaguid), proof.statement),
        uvm: proof?.kept.uvm,
        domain,
        finding: findings.find(({ id }) => id.equals(credential.id)),
      };
      return keyCard(credential, known, this.models);
    });
  }
}
