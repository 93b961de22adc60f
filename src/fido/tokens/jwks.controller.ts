import { Controller, Get, Header, Inject } from '@nestjs/common';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { DiscoveryAnswer, JwksAnswer } from './jwks.answer.js';
import { SigningKeys } from './signing-keys.js';

@ForAudience('integrator')
@Controller('.well-known')
export class JwksController {
  constructor(
    private readonly keys: SigningKeys,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /** Verifiers may cache it for as long as a new key waits before it signs. */
  @Get('jwks.json')
  @Header('Cache-Control', 'public, max-age=60')
  @Header('Access-Control-Allow-Origin', '*')
  @Operation('getTokenKeys', 'Returns the public signing keys of the tokens (RFC 7517)', {
    description: 'Verify the signature of a token with the key that its header names by `kid`.',
    answers: JwksAnswer,
  })
  jwks() {
    return this.keys.jwks();
  }

  /**
   * OpenID Connect Discovery 1.0 §3, as far as resource servers need it to verify tokens: nobody can sign in here, so
   * there is no authorization endpoint.
   *
   * @throws ApiError E0046R without `--issuer`
   */
  @Get('openid-configuration')
  @Header('Cache-Control', 'public, max-age=60')
  @Header('Access-Control-Allow-Origin', '*')
  @Operation('discoverTokenKeys', 'Names the issuer and the keys of the tokens, for libraries', {
    description:
      'Needs the option `--issuer`. It names no authorization endpoint, since users sign in ' +
      'by the four calls.',
    answers: DiscoveryAnswer,
    refuses: ['E0046R'],
  })
  discovery(): DiscoveryAnswer {
    const { issuer } = this.options;
    if (issuer === undefined) throw new ApiError('E0046R', 'discovery.off');
    return {
      issuer,
      // §4.1: a terminating slash of the issuer is removed before the path is appended.
      jwks_uri: `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: ['ES256'],
      subject_types_supported: ['public'],
      response_types_supported: [],
    };
  }
}
