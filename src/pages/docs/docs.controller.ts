import { Controller, Get, Header, Inject, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { OpenAPIObject } from '@nestjs/swagger';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ApiDescription } from '../../platform/http/openapi/api-description.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import type { PageView } from '../../platform/pages/page.view.js';
import { operationPage } from './operation.view.js';
import type { Domains } from './request.view.js';
import { operationsIn } from './described.js';

function contentsPage(document: OpenAPIObject) {
  const operations = operationsIn(document);
  const page: PageView = {
    title: 'API',
    nav: { docs: true },
    styles: ['/static/css/docs.css'],
    scripts: ['/static/js/docs/find.js'],
  };
  return {
    ...page,
    readers: (document.tags ?? []).map(({ name, description }) => ({
      name,
      id: name.replaceAll(' ', '-'),
      description,
      operations: operations
        .filter(({ tags }) => tags.includes(name))
        .map((operation) => ({ ...operation, colour: operation.method.toLowerCase() })),
    })),
  };
}

@Controller('docs')
export class DocsController {
  constructor(
    private readonly description: ApiDescription,
    private readonly relyingParties: RelyingPartyCache,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  @Get()
  @Page('docs')
  async contents() {
    return contentsPage(await this.description.read());
  }

  /** The document for programs, which can check with its ETag whether it has changed. */
  @Get('openapi.json')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', 'no-cache')
  async document(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { json, etag } = await this.description.file();
    response.setHeader('ETag', etag);
    return json;
  }

  @Get('operations/:id')
  @Page('docs-operation')
  async operation(@Param('id') id: string) {
    const page = operationPage(await this.description.read(), id, this.domains);
    if (!page) throw new ApiError('E0047R', 'operation.unknown', { id });
    return page;
  }

  /** The relying parties to choose from: only the server's own, since strangers must not learn the others. */
  private get domains(): Domains {
    const { domain, listDomains } = this.options;
    const own = domain === undefined ? [] : [domain];
    return [...new Set([...own, ...(listDomains ? this.relyingParties.current.domains : [])])];
  }
}
