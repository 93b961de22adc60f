import {
  hostName,
  writeCertificate,
  type Authority,
} from '../../packages/testing/src/certificate-writer.js';
import { ALG, createKeyPair } from '../../packages/testing/src/key-pair.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import type { ReceiverTls } from './webhook-receiver.js';

interface Certified {
  /** The issuer; without one the certificate is self-signed. */
  readonly by?: Authority;
  readonly host?: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** The key of a receiver and its certificate, of `localhost` unless told otherwise. */
export function receiverTls({ by, host = 'localhost', ...validity }: Certified = {}): ReceiverTls {
  const keyPair = createKeyPair(ALG.ES256);
  const { publicKey, privateKey } = keyPair;
  const extensions = [hostName(host)];
  const issuer = by ?? { name: [], keyPair };
  const certificate = writeCertificate({ subject: [], publicKey, issuer, extensions, ...validity });
  const key = String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return { key, cert: pemOf(certificate) };
}
