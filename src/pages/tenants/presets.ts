import { modeField } from './policy-form.js';

/** Several settings of a policy at once, for the form: nothing is saved by them. */
export interface Preset {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /** Fields of the form, and what they hold then. */
  readonly fields: Readonly<Record<string, string>>;
}

const rule = (name: string, mode: string, value: string) => ({
  [name]: value,
  [modeField(name)]: mode,
});

/**
 * @param proves whether there is something to hold certificates against: without it a rule that demands trust
 *   would refuse every key, so that it only reports
 */
export const presets = (proves: boolean): readonly Preset[] => [
  {
    name: 'hardware',
    label: 'Hardware keys only',
    hint: proves
      ? 'Keys that stay on their device, and prove which model they are.'
      : 'Keys that stay on their device. What model they are is only reported: there is neither metadata (--mds) nor a trust anchor to prove it.',
    fields: {
      ...rule('backupEligible', 'enforce', 'refused'),
      ...rule('trust', proves ? 'enforce' : 'report', 'all'),
      attestation: 'direct',
      aaguid: 'verified',
    },
  },
  {
    name: 'certified',
    label: 'Certified L2 and above',
    hint: proves
      ? 'Models that the FIDO Alliance has certified at level 2 or higher, as the metadata tells and the attestation proves.'
      : 'Models certified at level 2 or higher: only reported, since there is neither metadata (--mds) nor a trust anchor to tell.',
    fields: {
      ...rule('certification', proves ? 'enforce' : 'report', 'L2'),
      ...rule('trust', proves ? 'enforce' : 'report', 'all'),
      attestation: 'direct',
      aaguid: 'verified',
    },
  },
  {
    name: 'synced',
    label: 'Synced passkeys welcome',
    hint: 'Passkeys of phones, computers and password managers, which verify their user and prove no model.',
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
