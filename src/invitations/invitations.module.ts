import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UsersModule } from '../users/users.module.js';
import { EventsModule } from '../events/events.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { InvitationFile } from './invitation-file.js';
import { InvitationIssue } from './invitation-issue.js';
import { InvitationKey, Invitation } from './invitation.entity.js';
import { InvitationPermits } from './invitation-permits.js';
import { InvitationsController } from './invitations.controller.js';
import { Invitations } from './invitations.js';

/** Invitations: tickets that a user can use by following a link. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Invitation, InvitationKey]),
    UsersModule,
    EventsModule,
    TenancyModule,
  ],
  controllers: [InvitationsController],
  providers: [InvitationFile, InvitationIssue, InvitationPermits, Invitations],
  exports: [InvitationFile, InvitationIssue, InvitationPermits, Invitations],
})
export class InvitationsModule {}
