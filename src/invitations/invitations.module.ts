import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UsersModule } from '../users/users.module.js';
import { EventsModule } from '../events/events.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { InvitationIssue } from './invitation-issue.js';
import { InvitationKey } from './invitation-key.entity.js';
import { InvitationPermits } from './invitation-permits.js';
import { Invitation } from './invitation.entity.js';
import { InvitationsController } from './invitations.controller.js';
import { Invitations } from './invitations.service.js';

/** Invitations: tickets that a person can use by following a link. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Invitation, InvitationKey]),
    UsersModule,
    EventsModule,
    TenancyModule,
  ],
  controllers: [InvitationsController],
  providers: [InvitationIssue, InvitationPermits, Invitations],
  exports: [InvitationIssue, InvitationPermits, Invitations],
})
export class InvitationsModule {}
