import { All, Controller, NotFoundException, UseGuards } from '@nestjs/common';
import { CallerGuard } from '../platform/access/caller.guard.js';

/**
 * Answers unknown addresses under the administration's paths. The guard authenticates first, so that a
 * stranger does not learn which addresses exist.
 */
@UseGuards(CallerGuard)
@Controller()
export class UnknownAddressController {
  @All(['userapi', 'userapi/*path', 'users', 'tenantapi', 'tenantapi/*path'])
  unknown(): never {
    throw new NotFoundException();
  }
}
