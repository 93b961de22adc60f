import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { mapKey, timeOfId } from '../../../platform/database/row-ids.js';
import { scope } from '../../../platform/database/scope.js';
import { Attestations } from '../../../users/attestations/attestations.js';
import { withLabels } from '../../../users/credentials/key-label.js';
import { CloneAlarm } from '../../../users/credentials/clone-alarm.entity.js';
import { Credential } from '../../../users/credentials/credential.entity.js';
import { GroupsInForce } from '../../../users/moves/groups-in-force.js';
import type { FoundUser } from '../../../users/user-rows.js';
import { profileOf, rulesFor } from '../../../tenancy/policy/rules-for.js';
import type { Policy } from '../../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { decisionPhrases } from '../../../trust/findings/decisions/decision-phrases.js';
import {
  FindingDecisions,
  type FindingName,
} from '../../../trust/findings/decisions/finding-decisions.js';
import { KeyFindings } from '../../../trust/findings/key-findings.js';
import { AuthenticatorModels } from '../../../trust/authenticator-models.js';
import { aaguidText } from '../../../webauthn/aaguid.js';
import { keyCard, REGISTRATION_RESULTS, type KeyCard } from './key-card.view.js';

interface KeysOfUser {
  readonly cards: readonly KeyCard[];
  /** The rules that apply to the user. */
  readonly rules: Policy;
  /** The name of the profile that applies to the user; `undefined` if the policy itself does. */
  readonly profile: string | undefined;
}

/** The keys of a user, with the data of their models. */
@Injectable()
export class KeyCards {
  constructor(
    @InjectRepository(Credential) private readonly credentials: Repository<Credential>,
    @InjectRepository(CloneAlarm) private readonly alarms: Repository<CloneAlarm>,
    readonly models: AuthenticatorModels,
    private readonly proofs: Attestations,
    private readonly findings: KeyFindings,
    private readonly groups: GroupsInForce,
    private readonly decisions: FindingDecisions,
  ) {}

  /** @param shownAt the relying party of the page; cards of keys at the predecessor name its domain */
  async ofUser(user: FoundUser, shownAt: RelyingParty): Promise<KeysOfUser> {
    const { id: userId, relyingParty: rp, credentials } = user;
    const groups = (await this.groups.ofUsers(rp, [userId])).get(mapKey(userId)) ?? [];
    const profiledRp = rulesFor(rp, groups);
    const domain = rp.domain === shownAt.domain ? undefined : rp.domain;
    const facts = await this.credentials.find({
      select: { id: true, ...REGISTRATION_RESULTS },
      where: { ...scope(rp), userId },
    });
    const ids = credentials.map(({ id }) => id);
    const hashes = credentials.map(({ credentialHash }) => credentialHash);
    const alarms = await this.alarms.find({ where: { ...scope(rp), credentialHash: In(hashes) } });
    const proofs = await this.proofs.of(rp, ids);
    const findings = await this.findings.of(profiledRp, ids);
    const decided = await this.decisions.at([rp]);
    const decisionsOn = (name: FindingName, lastAlarm?: Buffer) =>
      decisionPhrases({
        decision: decided.of(rp, name),
        isAccepted: decided.isAccepted(rp, name, lastAlarm),
      });
    const cards = withLabels(credentials, this.models).map((credential) => {
      const finding = findings.find(({ id }) => id.equals(credential.id));
      const alarm = alarms.find((one) => one.credentialHash.equals(credential.credentialHash));
      const proof = proofs.find(({ id }) => id.equals(credential.id));
      const known = {
        ...facts.find(({ id }) => id.equals(credential.id)),
        origin: proof && this.models.provenance(aaguidText(credential.aaguid), proof.statement),
        uvm: proof?.kept.uvm,
        domain,
        finding,
        copiedAt: alarm && timeOfId(alarm.alarm),
        decided: {
          copied: decisionsOn({ kind: 'copied', subject: credential.credentialHash }, alarm?.alarm),
          model: decisionsOn({ kind: 'model', subject: credential.aaguid }),
          rule: finding ? decisionsOn({ kind: 'rule', subject: Buffer.from(finding.rule) }) : [],
        },
      };
      return keyCard(credential, known, this.models);
    });
    return { cards, rules: profiledRp.policy, profile: profileOf(rp.policy, groups)?.name };
  }
}
