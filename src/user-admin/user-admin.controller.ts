import { All, Controller, NotFoundException, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '../http/openapi.js';
import { CallerGuard } from '../security/caller.guard.js';

/** Whatever lies under the administration's paths asks who calls before it says what is there. */
@ApiExcludeController()
@UseGuards(CallerGuard)
@Controller()
export class UserAdminController {
  @All(['userapi', 'userapi/*path', 'users', 'tenantapi', 'tenantapi/*path'])
  unknown(): never {
    throw new NotFoundException();
  }
}
