import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { serverOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { BannerChange } from '../../platform/pages/banners.js';
import type { Phrase } from '../../platform/pages/languages/phrase.js';
import { MetadataReport } from '../../trust/metadata/metadata-report.js';
import { policyChangesOf } from './changes.view.js';
import { textIn } from './form.js';
import { enteredIn, policyOf } from './policy-form.js';
import { presets } from './presets.js';
import type { Preset } from './presets.js';

type Fields = Readonly<Record<string, unknown>>;

/** A preset that stands in the form, and what it has changed there. */
export interface AppliedPreset {
  readonly label: Phrase;
  readonly changes: readonly BannerChange[];
}

/** Puts presets into the form of a policy. */
@Injectable()
export class PresetPages {
  constructor(
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
    private readonly metadata: MetadataReport,
  ) {}

  /** @param hasAnchors whether the relying party has trust anchors of its own */
  list(hasAnchors: boolean): readonly Preset[] {
    return presets(this.metadata.enabled || hasAnchors);
  }

  /**
   * The form with the preset that it names: nothing is saved.
   *
   * @throws ApiError E0045R where it names none
   */
  apply(fields: Fields): { readonly fields: Fields; readonly preset: AppliedPreset } {
    const wanted = textIn(fields, 'preset');
    const preset = this.list(textIn(fields, 'anchors') !== '').find(({ name }) => name === wanted);
    if (!preset) throw new ApiError('E0045R', 'preset.unknown');
    const filled = { ...fields, ...preset.fields };
    const [before, after] = [fields, filled].map((form) => policyOf(enteredIn(form))) as [
      ReturnType<typeof policyOf>,
      ReturnType<typeof policyOf>,
    ];
    const changes = policyChangesOf({ before, after }, this.options);
    return { fields: filled, preset: { label: preset.label, changes } };
  }
}
