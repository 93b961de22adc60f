import { Controller, Get, Header } from '@nestjs/common';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { JwksAnswer } from './jwks.answer.js';
import { SigningKeys } from './signing-keys.js';

@ForAudience('integrator')
@Controller('.well-known')
export class JwksController {
  constructor(private readonly keys: SigningKeys) {}

  /** Verifiers may cache it for as long as a new key waits before it signs. */
  @Get('jwks.json')
  @Header('Cache-Control', 'public, max-age=60')
  @Header('Access-Control-Allow-Origin', '*')
  @Operation('getTokenKeys', 'Returns the public signing keys of the tokens (RFC 7517)', {
    answers: JwksAnswer,
  })
  jwks() {
    return this.keys.jwks();
  }
}
