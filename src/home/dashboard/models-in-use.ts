import { Injectable } from '@nestjs/common';
import { ModelUse } from '../../users/credentials/model-use.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { modelsInUse, within } from './figures.js';
import type { ModelRow, VisibleRelyingParties } from './figures.js';
import { Remembered } from './remembered.js';

/** Counts the keys of each authenticator model once for all accounts. */
@Injectable()
export class ModelsInUse {
  private readonly counts = new Remembered(() => this.modelUse.count());

  constructor(
    private readonly modelUse: ModelUse,
    private readonly models: AuthenticatorModels,
  ) {}

  /** The models that an account may see by their names, the most frequent first. */
  async of(scope: VisibleRelyingParties): Promise<ModelRow[]> {
    const counts = within(scope, await this.counts.read());
    return modelsInUse(counts, (aaguid) => this.models.name(aaguid));
  }
}
