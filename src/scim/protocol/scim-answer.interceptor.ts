import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { ensureKnownParameters, projectionOf } from './list-request.js';
import { answeredResource, etagOf, type ResourceList, type ScimResource } from './resource.js';

/**
 * Completes the resources of an answer: their versions, `ETag` and `Location`, and the attributes that the request
 * asks for. Express answers 304 if the ETag is the one of `If-None-Match`.
 */
@Injectable()
export class ScimAnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    // Before anything is changed.
    ensureKnownParameters(request.query);
    const projection = projectionOf(request.query);
    return next.handle().pipe(
      map((answer: ScimResource | ResourceList | undefined) => {
        if (answer === undefined) {
          response.status(204);
          return answer;
        }
        if ('Resources' in answer) {
          const resources = answer.Resources.map((one) => answeredResource(one, projection));
          return { ...answer, Resources: resources };
        }
        response.setHeader('ETag', etagOf(answer));
        response.setHeader('Location', answer.meta.location);
        return answeredResource(answer, projection);
      }),
    );
  }
}
