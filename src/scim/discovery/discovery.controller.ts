import { Controller, Get, Param, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiError } from '../../platform/errors/api-error.js';
import { listResponse, type ResourceList, type ScimResource } from '../protocol/resource.js';
import { ScimAnswerInterceptor } from '../protocol/scim-answer.interceptor.js';
import { CurrentPlace, SCIM_PATH, ScimGuard, type ScimPlace } from '../protocol/scim-request.js';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery-documents.js';

/** What a directory can read about this service (RFC 7644 §4). */
@Controller(SCIM_PATH)
@UseGuards(ScimGuard)
@UseInterceptors(ScimAnswerInterceptor)
export class DiscoveryController {
  @Get('ServiceProviderConfig')
  config(@CurrentPlace() place: ScimPlace): ScimResource {
    return serviceProviderConfig(place);
  }

  @Get('ResourceTypes')
  types(@CurrentPlace() place: ScimPlace): ResourceList {
    return whole(resourceTypes(place));
  }

  @Get('ResourceTypes/:id')
  type(@Param('id') id: string, @CurrentPlace() place: ScimPlace): ScimResource {
    return one(resourceTypes(place), id);
  }

  @Get('Schemas')
  schemas(@CurrentPlace() place: ScimPlace): ResourceList {
    return whole(schemas(place));
  }

  @Get('Schemas/:id')
  schema(@Param('id') id: string, @CurrentPlace() place: ScimPlace): ScimResource {
    return one(schemas(place), id);
  }
}

const whole = (resources: readonly ScimResource[]): ResourceList =>
  listResponse(resources, { total: resources.length, startIndex: 1 });

function one(resources: readonly ScimResource[], id: string): ScimResource {
  const found = resources.find((resource) => resource.id.toLowerCase() === id.toLowerCase());
  if (!found) throw new ApiError('E0044R', 'nothing.matches');
  return found;
}
