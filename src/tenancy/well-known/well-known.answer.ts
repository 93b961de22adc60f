import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';

/** Answer of GET /.well-known/webauthn (W3C WebAuthn L3 §5.11). */
export class RelatedOriginsFile {
  @ApiProperty({ type: [String], example: ['https://example.org'] })
  readonly origins!: readonly string[];
}

class AssetTarget {
  @ApiProperty({ enum: ['android_app'] })
  readonly namespace!: string;

  @ApiProperty({ example: 'com.example.app' })
  readonly package_name!: string;

  @ApiProperty({ type: [String], example: ['AB:CD:…'] })
  readonly sha256_cert_fingerprints!: readonly string[];
}

export class AssetLink {
  @ApiProperty({ type: [String], example: ['delegate_permission/common.get_login_creds'] })
  readonly relation!: readonly string[];

  @ApiProperty({ type: AssetTarget })
  readonly target!: AssetTarget;
}

/** The part on credentials of Apple's associated domains. */
class AppleCredentials {
  @ApiProperty({ type: [String], example: ['TEAMID1234.com.example.app'] })
  readonly apps!: readonly string[];
}

export class AppleAppSiteFile {
  @ApiProperty({ type: AppleCredentials })
  readonly webcredentials!: AppleCredentials;
}

/** Where password managers send users to add and manage their keys. */
export class PasskeyEndpointsView {
  @ApiPropertyOptional({
    example: 'https://example.com/keys/new',
    description: 'page on which users add a key',
  })
  readonly enroll?: string;

  @ApiPropertyOptional({
    example: 'https://example.com/keys',
    description: 'page on which users manage their keys',
  })
  readonly manage?: string;
}

/** An Android app: its package, and the SHA-256 of the certificates that sign it, as `AB:CD:…`. */
export class AndroidAppView {
  @ApiProperty({ example: 'com.example.app' })
  readonly package!: string;

  @ApiProperty({
    type: [String],
    example: [Array.from({ length: 32 }, () => 'AB').join(':')],
    description: "SHA-256 fingerprints of the app's signing certificates",
  })
  readonly fingerprints!: readonly string[];
}

/** Apps that may use the keys of a relying party. */
export class AppsView {
  @ApiPropertyOptional({ type: [AndroidAppView] })
  readonly android?: readonly AndroidAppView[];

  @ApiPropertyOptional({ type: [String], example: ['TEAMID1234.com.example.app'] })
  /** `TEAMID.bundle.id`. */
  readonly apple?: readonly string[];
}
