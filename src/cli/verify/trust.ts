import type { MetadataIndex } from '../../webauthn/metadata/metadata-index.js';

/** Whom to trust, whatever the ceremony. */
export interface Trust {
  readonly metadata: MetadataIndex;
  /** DER. */
  readonly anchors: readonly Buffer[];
}
