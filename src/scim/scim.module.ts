import { Module, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { InvitationsModule } from '../invitations/invitations.module.js';
import { jsonBody, uncompressedOnly } from '../platform/http/body/request-body.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { UsersModule } from '../users/users.module.js';
import { DiscoveryController } from './discovery/discovery.controller.js';
import { GroupMembers } from './groups/group-members.js';
import { ScimGroupChanges } from './groups/scim-group-changes.js';
import { ScimGroupFinder } from './groups/scim-group-finder.js';
import { ScimGroupRenames } from './groups/scim-group-renames.js';
import { ScimGroupsController } from './groups/scim-groups.controller.js';
import { JSON_TYPES, scimAnswers } from './protocol/scim-request.js';
import { ScimUsersController } from './users/scim-users.controller.js';
import { ScimUserChanges } from './users/scim-user-changes.js';
import { ScimUserCreation } from './users/scim-user-creation.js';
import { ScimUserDeletion } from './users/scim-user-deletion.js';
import { ScimUserFinder } from './users/scim-user-finder.js';

/** A directory sends a group with some thousand members at once. */
const BODY_BYTES = 1024 * 1024;

/** SCIM 2.0 (RFC 7643, RFC 7644): directories manage the users of a relying party. Loaded only with `--scim on`. */
@Module({
  imports: [InvitationsModule, TenancyModule, UsersModule],
  controllers: [DiscoveryController, ScimGroupsController, ScimUsersController],
  providers: [
    GroupMembers,
    ScimGroupChanges,
    ScimGroupFinder,
    ScimGroupRenames,
    ScimUserChanges,
    ScimUserCreation,
    ScimUserDeletion,
    ScimUserFinder,
  ],
})
export class ScimModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const body = jsonBody({ types: JSON_TYPES, limit: BODY_BYTES });
    consumer.apply(scimAnswers, uncompressedOnly, body).forRoutes('scim/{*path}');
  }
}
