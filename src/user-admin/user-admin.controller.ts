import { All, Controller, NotFoundException, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '../http/openapi.js';
import { BasicAuthGuard } from '../security/basic-auth.guard.js';

/** Whatever lies under the administration's paths asks for HTTP Basic before it says what is there. */
@ApiExcludeController()
@UseGuards(BasicAuthGuard)
@Controller()
export class UserAdminController {
  @All(['userapi', 'userapi/*path', 'users', 'tenantapi', 'tenantapi/*path'])
  unknown(): never {
    throw new NotFoundException();
  }
}
