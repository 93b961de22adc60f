import { Injectable } from '@nestjs/common';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { ModelReport } from '../../trust/models/model-report.js';
import type { ModelFigures } from '../../trust/models/model.answer.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import { aaguidText } from '../../webauthn/aaguid.js';

/** A model in use whose status in the metadata means `refuse`, and the figures of its keys. */
interface RefusedModel {
  readonly aaguid: string;
  readonly name: string | null;
  readonly icon: string | null;
  readonly against: string;
  readonly figures: ModelFigures;
}

/**
 * Finds the models in use whose status in the metadata means `refuse`, for example a revoked one. The list does not
 * contain models with a mere warning.
 */
@Injectable()
export class RefusedModels {
  constructor(
    private readonly modelKeys: ModelKeys,
    private readonly models: AuthenticatorModels,
    private readonly report: ModelReport,
  ) {}

  async of(rps: readonly RelyingParty[]): Promise<RefusedModel[]> {
    const found: RefusedModel[] = [];
    for (const bytes of await this.modelKeys.modelsOf(rps)) {
      const aaguid = aaguidText(bytes);
      const against = this.models.statusAgainst(aaguid);
      if (against === undefined) continue;
      const figures = await this.report.figures(rps, aaguid);
      const name = this.models.name(aaguid);
      const icon = this.models.icon(aaguid);
      found.push({ aaguid, name, icon, against, figures });
    }
    return found;
  }
}
