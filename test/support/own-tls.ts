import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OID, name, writeCertificate } from '../../packages/testing/src/certificate-writer.js';
import { ALG, createKeyPair } from '../../packages/testing/src/key-pair.js';
import { pemOf } from '../../packages/testing/src/pem.js';

/** A certificate that nobody trusts, for a server that serves HTTPS itself. */
export class OwnTls {
  private readonly directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  /** The options of the server. */
  readonly options = {
    tlsCert: join(this.directory, 'cert.pem'),
    tlsKey: join(this.directory, 'key.pem'),
  };

  constructor() {
    const keyPair = createKeyPair(ALG.ES256);
    const subject = name([[OID.commonName, 'localhost']]);
    const { publicKey, privateKey } = keyPair;
    const certificate = writeCertificate({
      subject,
      publicKey,
      issuer: { name: subject, keyPair },
    });
    writeFileSync(this.options.tlsCert, pemOf(certificate));
    writeFileSync(this.options.tlsKey, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}
