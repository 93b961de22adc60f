import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { loadCertificate } from '../webauthn/attestation/certificate.js';
import type { AttestationStatement } from '../webauthn/attestation/format.js';
import { certificationOf } from '../webauthn/metadata/certification.js';
import { MetadataService } from './metadata/metadata.service.js';

/** Who vouched for a key, for people. */
export interface Origin {
  readonly format: string;
  /** What the root that issued the last certificate is called; `undefined` where there is none. */
  readonly root: string | undefined;
  /** The certification that the metadata tells of the model, such as `FIDO_CERTIFIED_L1`. */
  readonly certified: string | undefined;
}

const COMMON_NAME = /^CN=(.+)$/m;

/** Tells where a key comes from, by what its registration proved and what the metadata says now. */
@Injectable()
export class Provenance {
  constructor(
    private readonly metadata: MetadataService,
    private readonly clock: Clock,
  ) {}

  of(aaguid: string, { format, trustPath }: AttestationStatement): Origin {
    const entry = this.metadata.index.entryFor({ aaguid, trustPath });
    const at = new Date(this.clock.now());
    const certified = certificationOf(entry?.statusReports ?? [], at);
    return { format, root: rootOf(trustPath.at(-1)), certified };
  }
}

/** The certificate itself was read when it was verified. */
function rootOf(last: Buffer | undefined): string | undefined {
  if (last === undefined) return undefined;
  const { issuer } = loadCertificate(last).x509;
  return COMMON_NAME.exec(issuer)?.[1] ?? issuer.replaceAll('\n', ', ');
}
