/** The JSON of both ceremonies, as far as an authenticator reads or writes it (WebAuthn L3 §5.1.8 ff). */

export interface CredentialDescriptor {
  readonly id: string;
}

/** What `create` needs of PublicKeyCredentialCreationOptionsJSON. */
export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id?: string };
  readonly user: { readonly id: string };
  readonly pubKeyCredParams: readonly { readonly alg: number }[];
  readonly excludeCredentials?: readonly CredentialDescriptor[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** What `get` needs of PublicKeyCredentialRequestOptionsJSON. */
export interface RequestOptions {
  readonly challenge: string;
  readonly rpId?: string;
  readonly allowCredentials?: readonly CredentialDescriptor[];
}

interface CredentialBody {
  readonly type: 'public-key';
  readonly id: string;
  readonly rawId: string;
  readonly authenticatorAttachment: 'platform' | 'cross-platform';
  readonly clientExtensionResults: Readonly<Record<string, unknown>>;
}

/** Body of an attestation result call. */
export interface RegistrationBody extends CredentialBody {
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly transports: readonly string[];
  };
}

/** Body of an assertion result call. */
export interface AuthenticationBody extends CredentialBody {
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle?: string;
  };
}
