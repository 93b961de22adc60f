import { Injectable, type NestMiddleware, type OnModuleInit } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { fidoSession } from '../fido/ceremonies/session.js';
import { SecretStore } from '../platform/database/secrets/secret-store.js';
import { formBody, jsonBody, uncompressedOnly } from '../platform/http/body/request-body.js';
import { joinMiddlewares } from '../platform/http/express-routing.js';
import { noStore } from '../platform/http/security-headers.js';

/** For the paths of a door that this server answers itself: bodies, and the session of the browser's ceremony. */
@Injectable()
export class SignInPageMiddleware implements NestMiddleware, OnModuleInit {
  private handler: RequestHandler = noStore;

  constructor(private readonly secrets: SecretStore) {}

  async onModuleInit(): Promise<void> {
    const session = fidoSession(await this.secrets.findOrCreate('session-cookie'));
    this.handler = joinMiddlewares(noStore, uncompressedOnly, jsonBody(), formBody(), session);
  }

  use(request: Request, response: Response, next: NextFunction): void {
    this.handler(request, response, next);
  }
}
