import '../register-typescript.mjs';
import { idAt, keyRow, sha256, userRow } from './population.mjs';

const {
  ATTESTATION_SUBJECT,
  aaguidExtension,
  basicConstraints,
  createAuthority,
  writeCertificate,
} = await import('../../../packages/testing/src/certificate-writer.ts');
const { ALG, createKeyPair } = await import('../../../packages/testing/src/key-pair.ts');
const { blobEntry, blobRoot, createBlobSigner, writeBlob } =
  await import('../../../packages/testing/src/blob-writer.ts');

const MODELS = 40;
const SHAKY = 1;
/** The number of certificates that the keys of a model share: makers use one for about 100,000 keys. */
const BATCHES = 4;
const FACTORIES = 25;
const ZEROS = Buffer.alloc(16);
const REGISTERED_AT = 1_795_000_000_000;
const ASKED = { asked: 1, flags: 69 };

const numbered = (n, make) => Array.from({ length: n }, (_, i) => make(i));
const modelOf = (n) => `5a4c0000-0000-4000-8000-00000000${n.toString(16).padStart(4, '0')}`;
const aaguidOf = (n) => Buffer.from(modelOf(n).replaceAll('-', ''), 'hex');

/**
 * The keys of a large relying party: half have no attestation, like synced ones; a third are security keys
 * with shared certificates; the others are phones and computers, each with its own certificate.
 */
export class Keys {
  #root = createAuthority('Root of the load');
  #batches = numbered(MODELS * BATCHES, (n) => this.#leaf(this.#root, aaguidOf(n % MODELS)));
  #factories = numbered(FACTORIES, (n) =>
    createAuthority(`Factory ${n}`, { issuer: this.#root, notAfter: new Date('2050-01-01') }),
  );
  #phone = createKeyPair(ALG.ES256);
  #blobs = 0;
  #signer = createBlobSigner();

  /** For `--mds-roots`, DER. */
  blobRoot = blobRoot().certificate;
  /** The revoked model: a hundredth of all keys belong to it. */
  shaky = modelOf(SHAKY);

  /** The next BLOB, correctly signed. @param revoked whether it revokes the shaky model */
  blob(revoked) {
    const root = this.#root.certificate.toString('base64');
    const bad = [{ status: 'REVOKED', effectiveDate: '2026-02-01' }];
    const entries = numbered(MODELS + 2, modelOf).map((aaguid) =>
      blobEntry(
        aaguid,
        { attestationRootCertificates: [root] },
        {
          statusReports: [
            { status: 'FIDO_CERTIFIED', effectiveDate: '2026-01-01' },
            ...(revoked && aaguid === this.shaky ? bad : []),
          ],
        },
      ),
    );
    this.#blobs += 1;
    return writeBlob({ no: this.#blobs, nextUpdate: '2099-01-01', entries }, this.#signer);
  }

  /** Whether the nth key belongs to the revoked model. */
  isShaky = (n) => n % 100 === 1;

  /** Stores the given number of keys, each with its own user, with the results of their registrations. */
  async fill(store, count) {
    const party = await store.relyingParty();
    const shared = this.#factories.map(({ certificate }) => ({
      hash: sha256(certificate),
      certificate,
    }));
    await store.insert('attestation_authorities', shared);
    await store.fill(count, (n) => this.#rows(party, n));
    await store.run('DELETE FROM judgements');
    await store.analyse('users', 'credentials', 'attestations');
  }

  #rows(party, n) {
    const id = idAt(REGISTERED_AT, n);
    const kind = this.#kindOf(n);
    const user = userRow(party, { id, username: `k${n}@load.example`, at: REGISTERED_AT });
    const key = keyRow(party, {
      ...{ id, userId: id, credentialId: sha256(`key ${n}`), at: REGISTERED_AT + n },
      aaguid: kind.aaguid,
      attestation_format: kind.format,
      attestation_type: kind.type ?? 'basic',
      attestation_trusted: kind.trusted ?? 1,
      attestation_asked: kind.asked,
      registration_flags: kind.flags,
    });
    const trustPath = [kind.leaf, kind.authority].filter(Boolean).map((_, i) => i);
    const evidence = { format: kind.format, type: key.attestation_type, trustPath };
    const proved = {
      id,
      evidence: JSON.stringify(evidence),
      certificates: kind.leaf,
      authorities: kind.authority ? sha256(kind.authority) : Buffer.alloc(0),
      proof: Buffer.alloc(180, 'p'),
    };
    return {
      users: [user],
      credentials: [key],
      attestations: kind.leaf ? [{ ...proved, ...party }] : [],
    };
  }

  #kindOf(n) {
    const share = n % 100;
    const m = Math.floor(n / 100);
    if (this.isShaky(n)) return this.#packed(SHAKY, m);
    if (share < 33) return this.#packed(SHAKY + 1 + ((n * 7) % (MODELS - 1)), m);
    if (share < 50) return this.#certified(n);
    return { ...ASKED, asked: 0, aaguid: ZEROS, format: 'none', type: 'none', trusted: 0 };
  }

  /** Like security keys: a certificate for each batch. */
  #packed(model, m) {
    const n = (model % MODELS) + MODELS * (m % BATCHES);
    return { ...ASKED, aaguid: aaguidOf(n % MODELS), format: 'packed', leaf: this.#batches[n] };
  }

  /** Like phones and TPMs: a certificate for each key, issued by a shared authority. */
  #certified(n) {
    const factory = this.#factories[n % FACTORIES];
    const aaguid = aaguidOf(MODELS + (n % 2));
    const leaf = this.#leaf(factory, aaguid, this.#phone);
    return { ...ASKED, aaguid, format: 'packed', leaf, authority: factory.certificate };
  }

  #leaf(issuer, aaguid, keyPair = createKeyPair(ALG.ES256)) {
    const extensions = [basicConstraints(false), aaguidExtension(aaguid)];
    const { publicKey } = keyPair;
    return writeCertificate({ subject: ATTESTATION_SUBJECT, issuer, extensions, publicKey });
  }
}
