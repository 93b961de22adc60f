import { Injectable } from '@nestjs/common';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { Admission } from '../../trust/admission.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { hasEnabledKey } from '../../trust/models/model-figures.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import { aaguidText } from '../../webauthn/aaguid.js';

/** A model whose status in the metadata means `refuse`, at a relying party that has keys of it. */
export interface RefusedModel {
  readonly relyingParty: RelyingParty;
  readonly aaguid: string;
  readonly against: string;
  /** Whether the policy still lets new keys of it be registered. */
  readonly isRegistrable: boolean;
  /** Whether a key of it is enabled, or can still be registered. */
  readonly isOpen: boolean;
}

/** Finds the models in use that the metadata refuses. */
@Injectable()
export class RefusedModels {
  constructor(
    private readonly modelKeys: ModelKeys,
    private readonly models: AuthenticatorModels,
    private readonly admission: Admission,
  ) {}

  async at(rps: readonly RelyingParty[]): Promise<RefusedModel[]> {
    const found: RefusedModel[] = [];
    for (const model of await this.modelKeys.modelsOf(rps)) {
      const aaguid = aaguidText(model);
      const against = this.models.statusAgainst(aaguid);
      if (against === undefined) continue;
      for (const relyingParty of rps) {
        if ((await this.modelKeys.countKeys(relyingParty, model)) === 0) continue;
        const isRegistrable = !this.admission.refusesModel(relyingParty, aaguid);
        const isOpen = isRegistrable || (await hasEnabledKey(this.modelKeys, relyingParty, aaguid));
        found.push({ relyingParty, aaguid, against, isRegistrable, isOpen });
      }
    }
    return found;
  }
}
