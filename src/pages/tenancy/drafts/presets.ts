import { Inject, Injectable } from '@nestjs/common';
import { phrase, type Phrase } from '../../../platform/pages/languages/phrase.js';
import { serverOptions, type ServerOptions } from '../../../platform/config/server-config.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import type { BannerChange } from '../../../platform/pages/banners.js';
import { MetadataService } from '../../../trust/metadata/metadata.service.js';
import { enteredIn, modeField, policyOf } from '../policy-form.js';
import { policyChangesOf } from '../changes.view.js';
import { textIn } from '../form.js';
import type { DraftFields } from './draft-forms.js';

/** Several policy settings at once. A preset fills in the form and saves nothing. */
export interface PolicyPreset {
  readonly name: string;
  readonly label: Phrase;
  readonly hint: Phrase;
  /** The fields of the form, with the values of the preset. */
  readonly fields: Readonly<Record<string, string>>;
}

const rule = (name: string, mode: string, value: string) => ({
  [name]: value,
  [modeField(name)]: mode,
});

/** The name and description of a preset. Some only report if there are no trust anchors to prove what they demand. */
const presetTexts = (name: string, proves: boolean) => ({
  name,
  label: phrase(`policy:presets.${name}.label`),
  hint: phrase(`policy:presets.${name}.${proves ? 'hint' : 'reported'}`),
});

/**
 * @param proves whether there are trust anchors: without them a rule that demands trust would refuse every
 *   key, so it only reports
 */
const presets = (proves: boolean): readonly PolicyPreset[] => [
  {
    ...presetTexts('hardware', proves),
    fields: {
      ...rule('backupEligible', 'enforce', 'refused'),
      ...rule('trust', proves ? 'enforce' : 'report', 'all'),
      attestation: 'direct',
      aaguid: 'verified',
    },
  },
  {
    ...presetTexts('certified', proves),
    fields: {
      ...rule('certification', proves ? 'enforce' : 'report', 'L2'),
      ...rule('trust', proves ? 'enforce' : 'report', 'all'),
      attestation: 'direct',
      aaguid: 'verified',
    },
  },
  {
    ...presetTexts('synced', true),
    fields: {
      ...rule('backupEligible', 'enforce', 'allowed'),
      ...rule('residentKey', 'enforce', 'required'),
      ...rule('userVerification', 'enforce', 'required'),
      ...rule('trust', 'off', ''),
      ...rule('certification', '', ''),
      attestation: 'none',
    },
  },
];

/** The preset that is selected in the form, and its changes there. */
export interface AppliedPreset {
  readonly label: Phrase;
  readonly changes: readonly BannerChange[];
}

/** Applies presets to the form of a policy. */
@Injectable()
export class PresetPages {
  constructor(
    /** The options apply if the policy does not set a member. */
    @Inject(serverOptions.KEY) readonly deciding: ServerOptions,
    private readonly metadata: MetadataService,
  ) {}

  /** @param hasAnchors whether the relying party has trust anchors of its own */
  list(hasAnchors: boolean): readonly PolicyPreset[] {
    return presets(this.metadata.enabled || hasAnchors);
  }

  /**
   * Finds the preset that a form names.
   *
   * @throws ApiError E0045R if it names none
   */
  find(fields: DraftFields): PolicyPreset {
    const wanted = textIn(fields, 'preset');
    const preset = this.list(textIn(fields, 'anchors') !== '').find(({ name }) => name === wanted);
    if (!preset) throw new ApiError('E0045R', 'preset.unknown');
    return preset;
  }

  /**
   * Applies the preset that a form names. Saves nothing.
   *
   * @throws ApiError as `find`
   */
  apply(fields: DraftFields): { readonly fields: DraftFields; readonly preset: AppliedPreset } {
    const preset = this.find(fields);
    const filled = { ...fields, ...preset.fields };
    const before = policyOf(enteredIn(fields));
    const after = policyOf(enteredIn(filled));
    const changes = policyChangesOf({ before, after }, this.deciding);
    return { fields: filled, preset: { label: preset.label, changes } };
  }
}
