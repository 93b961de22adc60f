import { Injectable } from '@nestjs/common';
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeInterfaces } from './openapi-document.js';

/** The OpenAPI document of this server: made when it is first asked for, since most never are. */
@Injectable()
export class ApiDescription {
  private app: INestApplication | undefined;
  private document: Promise<OpenAPIObject> | undefined;

  /** Says which application it describes, which no provider of that application can know. */
  of(app: INestApplication): this {
    this.app = app;
    return this;
  }

  read(): Promise<OpenAPIObject> {
    if (!this.app) throw new Error('nobody has said which application is described');
    return (this.document ??= describeInterfaces(this.app));
  }
}
