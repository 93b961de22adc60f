import type { MetadataIndex } from '../../webauthn/metadata/metadata-index.js';

/** The authorities and models to trust, the same for all ceremonies. */
export interface Trust {
  readonly metadata: MetadataIndex;
  /** Trust anchors in DER. */
  readonly anchors: readonly Buffer[];
}
