import { phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { STATUS_VERDICTS } from '../../webauthn/metadata/status.js';

/** The text for a metadata status; an unknown status is returned unchanged. */
export const statusText = (status: string): Text =>
  status in STATUS_VERDICTS ? phrase(`models:status.${status}`) : status;
