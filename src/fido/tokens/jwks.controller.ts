import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiTags } from '../../http/openapi.js';
import { SigningKeys } from './signing-keys.js';

@ApiTags('fido')
@Controller('.well-known')
export class JwksController {
  constructor(private readonly keys: SigningKeys) {}

  /** Verifiers may keep it for as long as a new key waits before it signs. */
  @Get('jwks.json')
  @Header('Cache-Control', 'public, max-age=60')
  @Header('Access-Control-Allow-Origin', '*')
  @ApiOperation({ summary: 'Public keys of the tokens (RFC 7517)' })
  jwks() {
    return this.keys.jwks();
  }
}
