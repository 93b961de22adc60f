import {
  Controller,
  Get,
  Injectable,
  Param,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { tap } from 'rxjs';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ApiParam } from '../../platform/http/openapi/openapi.js';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { RelyingPartyCache } from '../scope/relying-party-cache.js';
import { fileOf, isFileName, type FileName } from './well-known.js';
import {
  AppleAppSiteFile,
  AssetLink,
  PasskeyEndpointsView,
  RelatedOriginsFile,
} from './well-known.answer.js';

const REFUSES = ['E0044R'] as const;

/** The host to which the request was sent, without a port; behind a trusted proxy, the host of the original request. */
const hostOf = ({ hostname }: Request): string =>
  // Absent in HTTP/1.0.
  (hostname as string | undefined) ?? '';

/**
 * Lets pages of all origins read the published files, and caches keep them for five minutes. A refusal is not cached,
 * since the file may be published later. A cache keys by `Host` already, but not by the host that a trusted proxy forwards.
 */
@Injectable()
class PublishedInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const response = context.switchToHttp().getResponse<Response>();
    response.setHeader('Access-Control-Allow-Origin', '*');
    return next
      .handle()
      .pipe(
        tap(() =>
          response.vary('X-Forwarded-Host').setHeader('Cache-Control', 'public, max-age=300'),
        ),
      );
  }
}

/** The files that domains publish: by the host of the request and, for proxies, by the domain in the path. */
@ForAudience('integrator')
@UseInterceptors(PublishedInterceptor)
@Controller()
export class WellKnownController {
  constructor(private readonly relyingParties: RelyingPartyCache) {}

  @Get('.well-known/webauthn')
  @Operation(
    'getRelatedOrigins',
    'Lists the origins that may use the keys of the host (WebAuthn L3 §5.11)',
    {
      description: 'The host is that of the request; for another domain, use getWellKnownFile.',
      answers: RelatedOriginsFile,
      refuses: REFUSES,
    },
  )
  webauthn(@CurrentRequest() request: Request) {
    return this.published(hostOf(request), 'webauthn');
  }

  @Get('.well-known/assetlinks.json')
  @Operation('getAssetLinks', 'Lists the Android apps of the host (Digital Asset Links)', {
    description: 'The host is that of the request; for another domain, use getWellKnownFile.',
    answers: { listOf: AssetLink },
    refuses: REFUSES,
  })
  assetLinks(@CurrentRequest() request: Request) {
    return this.published(hostOf(request), 'assetlinks.json');
  }

  @Get('.well-known/apple-app-site-association')
  @Operation('getAppleApps', 'Lists the Apple apps of the host (associated domains)', {
    description: 'The host is that of the request; for another domain, use getWellKnownFile.',
    answers: AppleAppSiteFile,
    refuses: REFUSES,
  })
  appleApps(@CurrentRequest() request: Request) {
    return this.published(hostOf(request), 'apple-app-site-association');
  }

  @Get('.well-known/passkey-endpoints')
  @Operation(
    'getPasskeyEndpoints',
    'Names the pages on which users add and manage keys of the host',
    {
      description: 'The host is that of the request; for another domain, use getWellKnownFile.',
      answers: PasskeyEndpointsView,
      refuses: REFUSES,
    },
  )
  passkeyEndpoints(@CurrentRequest() request: Request) {
    return this.published(hostOf(request), 'passkey-endpoints');
  }

  @Get('wellknown/:domain/:file')
  @ApiParam({ name: 'domain', example: 'localhost', description: 'domain of the relying party' })
  @ApiParam({
    name: 'file',
    example: 'webauthn',
    description: 'name of the file below /.well-known/',
  })
  @Operation('getWellKnownFile', 'Returns a well-known file of a named domain, for a proxy', {
    description: 'For a web server that answers for the domain itself and fetches the file here.',
    answers: [RelatedOriginsFile, { listOf: AssetLink }, AppleAppSiteFile, PasskeyEndpointsView],
    refuses: REFUSES,
  })
  file(@Param('domain') domain: string, @Param('file') file: string) {
    if (!isFileName(file)) throw nothingAs(file);
    return this.published(domain, file);
  }

  /** @throws ApiError E0044R if there is no such relying party or it does not publish the file */
  private published<Name extends FileName>(host: string, name: Name) {
    const rp = this.relyingParties.current.find(host.toLowerCase());
    const file = rp && fileOf(rp.wellKnown, name);
    if (file) return file;
    throw nothingAs(name);
  }
}

const nothingAs = (name: string) => new ApiError('E0044R', 'wellKnown.nothing', { name });
