import '../register-typescript.mjs';

const authenticators = '../../../test/support/authenticator';
const { STATEMENTS, attestationRoot } = await import(`${authenticators}/statements.ts`);
const { ALG, createKeyPair } = await import(`${authenticators}/key-pair.ts`);
const { ATTESTATION_SUBJECT, aaguidExtension, basicConstraints, keyUsage, name, writeCertificate } =
  await import(`${authenticators}/certificate-writer.ts`);

/** The model that hostile registrations claim. */
export const AAGUID = Buffer.from('5e1f1d0a7e57400080000000000000fd', 'hex');

/** OpenSSL verifies P-256 in a twentieth of the time that P-521 takes. */
const [p256, p521] = [ALG.ES256, ALG.ES512].map(createKeyPair);

/** The most expensive statements for a server, within the limits and beyond them; all genuine. */
export const DEAREST = [
  ['compound of 8 × 2 certificates, P-256', compound({ keyPair: p256, certificates: 2 })],
  ['compound of 8 × 2 certificates, P-521', compound({ keyPair: p521, certificates: 2 })],
  ['compound of 8 × 8 certificates, P-256', compound({ keyPair: p256, certificates: 8 })],
  ['path of 8 certificates, P-521', packed({ keyPair: p521, certificates: 8 })],
];

/** The anchor of the certificate paths. */
export const anchor = () => attestationRoot().certificate;

function compound(kind) {
  const parts = Array.from({ length: 8 }, () => packed(kind));
  const write = (part, input) => new Map(Object.entries(part(input)));
  return (input) => ({ fmt: 'compound', attStmt: parts.map((part) => write(part, input)) });
}

function packed({ keyPair, certificates }) {
  const attester = { keyPair, x5c: path(keyPair, certificates) };
  return (input) => STATEMENTS.packed({ ...input, attester });
}

/** A leaf and authorities up to the root, which is not included. */
function path(keyPair, certificates) {
  const { publicKey } = keyPair;
  let issuer = attestationRoot();
  const x5c = [];
  for (let n = certificates - 1; n > 0; n -= 1) {
    const subject = name([['2.5.4.3', `Authority ${n}`]]);
    const extensions = [basicConstraints(true), keyUsage('authority')];
    x5c.unshift(writeCertificate({ issuer, subject, extensions, publicKey }));
    issuer = { name: subject, keyPair };
  }
  const extensions = [basicConstraints(false), aaguidExtension(AAGUID)];
  x5c.unshift(writeCertificate({ issuer, subject: ATTESTATION_SUBJECT, extensions, publicKey }));
  return x5c;
}
