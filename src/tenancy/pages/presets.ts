import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Phrase } from '../../platform/pages/languages/phrase.js';
import { modeField } from './policy-form.js';

/** Several settings of a policy at once, for the form: nothing is saved by them. */
export interface Preset {
  readonly name: string;
  readonly label: Phrase;
  readonly hint: Phrase;
  /** Fields of the form, and what they hold then. */
  readonly fields: Readonly<Record<string, string>>;
}

const rule = (name: string, mode: string, value: string) => ({
  [name]: value,
  [modeField(name)]: mode,
});

/** What a preset is called, and what it does: some only report where nothing proves what they demand. */
const saidOf = (name: string, proves: boolean) => ({
  name,
  label: phrase(`policy:presets.${name}.label`),
  hint: phrase(`policy:presets.${name}.${proves ? 'hint' : 'reported'}`),
});

/**
 * @param proves whether there is something to hold certificates against: without it a rule that demands trust
 *   would refuse every key, so that it only reports
 */
export const presets = (proves: boolean): readonly Preset[] => [
  {
    ...saidOf('hardware', proves),
    fields: {
      ...rule('backupEligible', 'enforce', 'refused'),
      ...rule('trust', proves ? 'enforce' : 'report', 'all'),
      attestation: 'direct',
      aaguid: 'verified',
    },
  },
  {
    ...saidOf('certified', proves),
    fields: {
      ...rule('certification', proves ? 'enforce' : 'report', 'L2'),
      ...rule('trust', proves ? 'enforce' : 'report', 'all'),
      attestation: 'direct',
      aaguid: 'verified',
    },
  },
  {
    ...saidOf('synced', true),
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
