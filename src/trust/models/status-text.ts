import { phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { STATUS_VERDICTS } from '../../webauthn/metadata/status.js';

/** A status of the metadata in words; one that this version does not know stays as the metadata has it. */
export const statusText = (status: string): Text =>
  status in STATUS_VERDICTS ? phrase(`models:status.${status}`) : status;
